"""Networks that read mesh graphs: TIDE and what it is compared with."""
