"""A mutation fuzzer over every format that meshtide reads; `tests/benchmarks/fuzz.py` runs it."""
