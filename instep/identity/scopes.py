"""What a caller may do: the scopes of API keys and AI clients, and the roles of people."""

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """What an API key may do; write includes read (specification, Authentication 2)."""

    READ = "content:read"
    WRITE = "content:write"


class Role(StrEnum):
    """What a person is in their workspace."""

    OWNER = "owner"
    EDITOR = "editor"
    VIEWER = "viewer"


@dataclass(frozen=True, slots=True)
class Permissions:
    """What a role may do: at most this scope, and the settings (people, keys, bots) or not."""

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
    """The one place that says what a role may do."""
    return PERMISSIONS[role]


def intersect(one: str, other: str) -> Scope:
    """What both allow."""
    return Scope.WRITE if one == other == Scope.WRITE else Scope.READ
