"""Permissions: scopes of API keys and AI clients, and roles of people."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """The scope of an API key, the narrowest first; each includes those before it.

    `READ` and `WRITE` are the specification's (Authentication 2).
    """

    READ = "content:read"
    PROPOSE = "content:propose"
    WRITE = "content:write"

    @property
    def rank(self) -> int:
        return tuple(Scope).index(self)

    def covers(self, other: "Scope") -> bool:
        return self.rank >= other.rank


# The words for a scope in sentences.
VERBS = {
    Scope.READ: "read",
    Scope.PROPOSE: "read and propose",
    Scope.WRITE: "read and write",
}


class Role(StrEnum):
    """The role of a person in their workspace."""

    OWNER = "owner"
    EDITOR = "editor"
    VIEWER = "viewer"


@dataclass(frozen=True, slots=True)
class Permissions:
    """The permissions of a role: its largest scope, and whether it may change people, keys and bots."""

    scope: Scope
    changes_settings: bool

    @property
    def can_write(self) -> bool:
        return self.scope == Scope.WRITE


PERMISSIONS = {
    Role.OWNER: Permissions(Scope.WRITE, changes_settings=True),
    Role.EDITOR: Permissions(Scope.WRITE, changes_settings=False),
    Role.VIEWER: Permissions(Scope.READ, changes_settings=False),
}


def permissions_of(role: Role) -> Permissions:
    """The permissions of a role."""
    return PERMISSIONS[role]


def intersect(first: str, second: str) -> Scope:
    """The scope that both allow."""
    return min(Scope(first), Scope(second), key=lambda scope: scope.rank)


def widest(words: Collection[str]) -> Scope:
    """The scope that covers all scopes among these words; `content:read` if there is none."""
    return max((scope for scope in Scope if scope in words), key=lambda scope: scope.rank, default=Scope.READ)
