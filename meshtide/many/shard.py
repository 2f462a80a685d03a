"""One share of the work, for arrays of jobs that know of each other nothing but how many they are."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from meshtide.errors import InputError


@dataclass(frozen=True)
class Shard:
    """Share `index` of `count`, counted from 0."""

    index: int
    count: int

    @classmethod
    def read(cls, text: str) -> Shard:
        """From "i/n", such as 0/8 to 7/8.

        >>> Shard.read("2/8")
        Shard(index=2, count=8)
        """
        found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text.strip())
        if found is None or not int(found[1]) < int(found[2]):
            last = max(1, int(found[2])) - 1 if found else 7
            raise InputError(f"`shard` is '{text}'; with {last + 1} shards they are 0/{last + 1} to {last}/{last + 1}")
        return cls(int(found[1]), int(found[2]))

    def has(self, name: str) -> bool:
        """Whether a file is in this share: by its name, so that files which come or go move no other file."""
        digest = hashlib.blake2b(name.encode("utf-8", "surrogateescape"), digest_size=8).digest()
        return int.from_bytes(digest) % self.count == self.index
