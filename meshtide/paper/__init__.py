"""The paper's tables and figures: its protocol and quirks, which are no defaults of the library."""
