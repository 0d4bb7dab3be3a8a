"""Handlers without a body bypass FastAPI's dependency resolution, which costs a tenth of a GET.

FastAPI still declares, describes and validates the parameters. The bypass omits features that these
routes don't use: nested dependencies, exit stacks, and values that nobody sent.
"""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final

from fastapi.dependencies.models import Dependant
from fastapi.dependencies.utils import request_params_to_args
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from instep.platform.web.call import current_call

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
# Defaults that no handler can change for the next call.
IMMUTABLE: Final = (type(None), bool, int, float, str)


def direct_handler(route: APIRoute) -> Handler | None:
    """A handler that calls the route's function; None if it has more than parameters of a call."""
    dependant = route.dependant
    if route.body_field is not None or not takes_parameters_only(dependant):
        return None
    call_name = dependant.dependencies[0].name
    assert call_name is not None, "a handler names its call"
    path = Parameters(dependant.path_params)
    query = Parameters(dependant.query_params)
    header = Parameters(dependant.header_params)
    if not (path.are_simple and query.are_simple and header.are_simple):
        return None

    async def handle(request: Request) -> Response:
        errors: list[Any] = []
        values = {
            call_name: request.state.call,
            **path.read(request.path_params, errors),
            **query.read(request.query_params, errors),
            **header.read(request.headers, errors),
        }
        if errors:
            raise RequestValidationError(errors)
        response: Response = await route.endpoint(**values)
        return response

    return handle


def takes_parameters_only(dependant: Dependant) -> bool:
    """True if a handler only has a call and parameters of path, query and header."""
    others = (
        dependant.body_params,
        dependant.cookie_params,
        dependant.request_param_name,
        dependant.websocket_param_name,
        dependant.http_connection_param_name,
        dependant.response_param_name,
        dependant.background_tasks_param_name,
        dependant.security_scopes_param_name,
    )
    return not any(others) and [other.call for other in dependant.dependencies] == [current_call]


class Parameters:
    """A handler's parameters from one part of a request."""

    def __init__(self, fields: Sequence[Any]) -> None:
        self.required = [field for field in fields if field.field_info.is_required()]
        self.optional = [(field.alias, field) for field in fields if not field.field_info.is_required()]
        self.defaults = {field.name: field.default for _, field in self.optional}

    @property
    def are_simple(self) -> bool:
        """True if all calls can share the defaults, and each parameter has a single name."""
        return all(isinstance(value, IMMUTABLE) for value in self.defaults.values()) and all(
            field.validation_alias in (None, field.alias) for _, field in self.optional
        )

    def read(self, received: Mapping[str, Any], errors: list[Any]) -> dict[str, Any]:
        """The values by the names of the handler's arguments; problems are added to the errors."""
        fields = [*self.required, *(field for alias, field in self.optional if alias in received)]
        if not fields:
            return self.defaults
        values, problems = request_params_to_args(fields, received)
        errors += problems
        return {**self.defaults, **values}


def direct_app(handle: Handler) -> ASGIApp:
    """The application of a route whose handler closes everything that it opens."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        response = await handle(Request(scope, receive, send))
        await response(scope, receive, send)

    return app
