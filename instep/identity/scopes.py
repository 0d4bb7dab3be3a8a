"""Permissions: scopes of API keys and AI clients, and roles of people."""

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """The scope of an API key; write includes read (specification, Authentication 2)."""

    READ = "content:read"
    WRITE = "content:write"


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
    return Scope.WRITE if first == second == Scope.WRITE else Scope.READ
