"""The access of routes: each declares who may call it, or the application does not start."""

from typing import Any, TypeVar

from starlette.routing import BaseRoute

from instep.platform.web.call import Access, AppAccess, BotKeyAccess, PersonAccess, ToolsAccess

Endpoint = TypeVar("Endpoint")
PUBLIC = "public"
KINDS = Access | AppAccess | BotKeyAccess | PersonAccess | ToolsAccess
Declared = KINDS | str


class UndeclaredRoute(Exception):
    """A route does not declare who may call it."""


def public(endpoint: Endpoint) -> Endpoint:
    """Declare that anyone may call this endpoint."""
    endpoint.__dict__["access"] = PUBLIC
    return endpoint


def access_of(route: BaseRoute) -> Declared:
    """The declared callers of a route; raises `UndeclaredRoute` without a declaration."""
    endpoint: Any = getattr(route, "endpoint", None) or getattr(route, "app", None)
    access = getattr(endpoint, "access", None)
    if not isinstance(access, KINDS) and access != PUBLIC:
        raise UndeclaredRoute(f"{route} does not declare who may call it")
    return access


def describe(access: Declared) -> str:
    if isinstance(access, str):
        return access
    if isinstance(access, BotKeyAccess):
        return "bot key"
    if isinstance(access, AppAccess):
        return "app"
    if isinstance(access, PersonAccess):
        return f"signed-in {access.role}"
    if isinstance(access, ToolsAccess):
        return f"tools with {access.credential}"
    if not access.needs_scope:
        return "any key"
    return access.scope
