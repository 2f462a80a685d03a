"""The networks TIDE is compared with, all called alike: features at vertices in, one score a part out."""
