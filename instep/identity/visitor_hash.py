"""Visitors of a help center are known by hashes of their identifiers only."""

import hashlib
from uuid import UUID


def hash_visitor(salt: str | UUID, visitor: str) -> bytes:
    """32 bytes. The salt is the id of the owner of the hash, so that hashes of two owners don't compare."""
    return hashlib.sha256(f"{salt} {visitor}".encode("utf-8", "replace")).digest()
