"""Hashes of visitors' identifiers, which are never stored themselves."""

import hashlib
from uuid import UUID


def hash_visitor(salt: str | UUID, visitor: str) -> bytes:
    """A hash of 32 bytes; the salt is an id such as the bot's, so that hashes of two bots can't be linked."""
    return hashlib.sha256(f"{salt} {visitor}".encode("utf-8", "replace")).digest()
