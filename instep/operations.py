"""What operators and machines ask of a running server: is it up, is it ready, what does its API look like."""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from instep import __version__
from instep.core.errors import AppError
from instep.migrations import head
from instep.web.public import public

LAG_SECONDS = 120


@dataclass(frozen=True, slots=True)
class State:
    """The revision of the schema, and for how many seconds the job that is due the longest has waited."""

    revision: str | None
    lag: float | None


STATE = """
    (select version_num from alembic_version) as revision,
    (select extract(epoch from now() - min(run_at))::float8 from jobs) as lag
"""


@public
async def healthz(request: Request) -> Response:
    """The process is up."""
    return JSONResponse({"status": "ok"})


@public
async def readyz(request: Request) -> Response:
    """The database answers, its schema is current and jobs are moving."""
    problems = await find_problems(request)
    return JSONResponse(
        {"status": "not ready" if problems else "ok", "problems": problems}, 503 if problems else 200
    )


async def find_problems(request: Request) -> list[str]:
    try:
        async with request.app.state.database.enter_workspace("") as tx:
            return problems_of(await tx.one(State, f"select {STATE}"))
    except AppError as error:
        return [error.message]


def problems_of(state: State) -> list[str]:
    """What keeps an installation from doing its work, in sentences for its operator."""
    problems = []
    if state.revision != newest_revision():
        problems.append("The schema is not current: run `instep migrate`.")
    if state.lag is not None and state.lag > LAG_SECONDS:
        problems.append(f"Jobs wait since {state.lag:.0f} seconds: is a worker running?")
    return problems


@public
async def openapi(request: Request) -> Response:
    """The description of the management API (OpenAPI 3.1)."""
    return Response(describe_api(request), media_type="application/json")


def describe_api(request: Request) -> str:
    state = request.app.state
    if not hasattr(state, "openapi"):
        routes = [route for route in request.app.routes if isinstance(route, APIRoute)]
        document = get_openapi(
            title="Instep management API",
            version="1.0.0",
            description=f"The help center's content, reviews and tasks. Instep {__version__}.",
            routes=routes,
            servers=[{"url": state.settings.base_url}],
        )
        state.openapi = json.dumps(with_keys(without_422(document)))
    described: str = state.openapi
    return described


def without_422(document: dict[str, Any]) -> dict[str, Any]:
    """Bad values are answered with 400, never with the framework's 422 (contract section 3)."""
    for operations in document["paths"].values():
        for operation in operations.values():
            operation["responses"].pop("422", None)
    return document


def with_keys(document: dict[str, Any]) -> dict[str, Any]:
    """Every operation needs an API key."""
    document["components"]["securitySchemes"] = {"apiKey": {"type": "http", "scheme": "bearer"}}
    document["security"] = [{"apiKey": []}]
    return document


@cache
def newest_revision() -> str | None:
    return head()


routes = [
    Route("/healthz", healthz),
    Route("/readyz", readyz),
    Route("/v1/openapi.json", openapi),
]
