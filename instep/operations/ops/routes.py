"""The list of all routes: what `instep routes` prints and the default-deny test reads."""

import inspect
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel
from starlette.routing import BaseRoute

from instep.platform.web.public import access_of, describe

ROOT = Path(__file__).parents[3]


class RouteOut(BaseModel):
    """A route, who may call it, and the location of its code."""

    method: str
    path: str
    name: str
    access: str
    file: str
    line: int


class RouteList(BaseModel):
    """Every route of the application."""

    results: list[RouteOut]


def list_routes(app: FastAPI) -> RouteList:
    return RouteList(results=[row for route in app.routes for row in rows_of(route)])


def rows_of(route: BaseRoute) -> list[RouteOut]:
    endpoint: Any = getattr(route, "endpoint", None) or getattr(route, "app", None)
    file, line = source_of(endpoint)
    methods = sorted(set(getattr(route, "methods", None) or {"GET"}) - {"HEAD"})
    return [
        RouteOut(
            method=method,
            path=getattr(route, "path", ""),
            name=getattr(route, "name", ""),
            access=describe(access_of(route)),
            file=file,
            line=line,
        )
        for method in methods
    ]


def source_of(endpoint: Any) -> tuple[str, int]:
    target = inspect.unwrap(endpoint) if inspect.isfunction(endpoint) else type(endpoint)
    file = Path(inspect.getsourcefile(target) or "")
    path = str(file.relative_to(ROOT)) if file.is_relative_to(ROOT) else file.name
    # Not by `inspect.getsourcelines`, which reads the whole file for each route.
    line = target.__code__.co_firstlineno if inspect.isfunction(target) else inspect.getsourcelines(target)[1]
    return path, line
