"""The routes of all modules of the dashboard."""

from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType

from starlette.routing import Route

from instep.interfaces import dashboard
from instep.interfaces.dashboard.bot_pages import PageRouter, show_home


def routes_of(module: ModuleType) -> list[Route]:
    """The routes of a module: pages about a help center have a `router`, others have `routes`."""
    router = getattr(module, "router", None)
    routes: list[Route] = router.routes if isinstance(router, PageRouter) else getattr(module, "routes", [])
    return routes


MODULES = [
    import_module(module.name)
    for module in walk_packages(dashboard.__path__, f"{dashboard.__name__}.")
    if module.name != __name__
]
# "{" sorts after all letters, so a fixed name is tried before an id in its place.
routes = sorted(
    [
        Route("/app", show_home),
        Route("/app/", show_home),
        *(route for module in MODULES for route in routes_of(module)),
    ],
    key=lambda route: route.path,
)
