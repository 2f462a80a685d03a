"""`python -m meshtide`."""

from meshtide.cli import main

if __name__ == "__main__":  # workers of `prepare --jobs` import this module too
    main()
