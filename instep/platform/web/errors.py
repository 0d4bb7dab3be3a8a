"""Errors of the management API: `{error, code, details?}` (contract section 3)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import structlog
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from psycopg import DataError
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException

from instep.platform.core.errors import AppError, InvalidRequest, NotFound

log = structlog.get_logger()
Shape = TypeVar("Shape", bound=BaseModel)


class InternalError(AppError):
    """Something went wrong on the server: try again, and report the `Request-Id` if it happens again."""

    status = 500
    code = "internal_error"


class MethodNotAllowed(AppError):
    """This path does not accept the method: `Allow` lists those that it accepts."""

    status = 405
    code = "method_not_allowed"


class VisitorRefusal(AppError):
    """An error of the visitor API and the MCP servers only; the management API never answers with it."""


def management_errors() -> list[type[AppError]]:
    """Every error that the management API may answer with."""
    kinds = [AppError]
    for kind in kinds:
        kinds += [subclass for subclass in kind.__subclasses__() if subclass is not VisitorRefusal]
    return kinds


def as_app_error(error: Exception) -> AppError:
    """The error that a caller gets for any exception; an unexpected one is logged and not disclosed."""
    if isinstance(error, AppError):
        return error
    if isinstance(error, RequestValidationError):
        return invalid_values(error.errors())
    if isinstance(error, DataError):
        return InvalidRequest("A value contains characters or numbers that can't be stored.")
    if isinstance(error, HTTPException):
        return from_http(error)
    log.error("request failed", exc_info=error)
    return InternalError()


def render_error(error: AppError) -> Response:
    body: dict[str, Any] = {"error": error.message, "code": error.code}
    if error.details:
        body["details"] = [{"field": field, "message": message} for field, message in error.details]
    return Response(json.dumps(body), error.status, error.headers, "application/json")


def from_http(error: HTTPException) -> AppError:
    if error.status_code == 404:
        return NotFound()
    if error.status_code == 405:
        return MethodNotAllowed(headers=dict(error.headers or {}))
    return InvalidRequest(error.detail)


def invalid_values(problems: Sequence[Any]) -> InvalidRequest:
    """One error for all invalid values: the first makes the sentence, all are in the details."""
    details = [(field_of(problem["loc"]), message_of(problem)) for problem in problems]
    field, message = details[0]
    if not field:
        return InvalidRequest(message if message.endswith(".") else f"The body is not valid: {message}.")
    return InvalidRequest(f"`{field}`: {message}.", details=details)


def field_of(location: Sequence[Any]) -> str:
    if location[-1:] and isinstance(location[1:2] and location[1], int) and location[0] == "body":
        return ""
    return ".".join(str(part) for part in location[1:])


def message_of(problem: Any) -> str:
    kind, context = problem["type"], problem.get("ctx", {})
    if kind == "json_invalid":
        return f"The body is not valid JSON: {context.get('error', 'it does not parse')}."
    if kind == "missing" and len(problem["loc"]) == 1:
        return "The body is missing: send a JSON object."
    if kind == "value_error":
        return str(context["error"])
    if context.get("min_length") == 1:
        return "it is empty"
    if context.get("expected") == "True":
        return "it must be true"
    is_list = context.get("field_type") == "List"
    sentence = LIST_SENTENCES.get(kind) if is_list else SENTENCES.get(kind)
    return sentence.format(**context) if sentence else DEFAULT_SENTENCE


def body_problems(error: ValidationError) -> list[Any]:
    """Pydantic's problems of a document, located like those of a request body."""
    return [{**problem, "loc": ("body", *problem["loc"])} for problem in error.errors(include_url=False)]


def first_fault(error: ValidationError) -> tuple[str, str]:
    """Field and sentence of the first invalid value in a document other than a request body."""
    problem = body_problems(error)[0]
    return field_of(problem["loc"]), message_of(problem)


# Pydantic's own messages name types of Python and are never passed on.
DEFAULT_SENTENCE = "this value is not allowed here"
DATE_SENTENCE = "it must be a date and time, such as 2026-01-31T12:00:00Z"
LIST_SENTENCES = {
    "too_long": "it has more than {max_length} entries",
    "too_short": "it must have at least {min_length} entries",
}
SENTENCES = {
    "missing": "it is required",
    "extra_forbidden": "it is not a field of this request",
    "model_attributes_type": "it must be a JSON object",
    "string_pattern_mismatch": "it must match the pattern {pattern}",
    "date_type": "it must be a day, such as 2026-12-31",
    "model_type": "it must be a JSON object",
    "dict_type": "it must be a JSON object",
    "string_type": "it must be a string",
    "string_too_long": "it is longer than {max_length} characters",
    "too_long": "it is longer than {max_length} characters",
    "timezone_aware": "it must name its time zone, such as 2026-01-31T12:00:00Z",
    "datetime_from_date_parsing": DATE_SENTENCE,
    "datetime_parsing": DATE_SENTENCE,
    "datetime_type": DATE_SENTENCE,
    "string_too_short": "it must have at least {min_length} characters",
    "too_short": "it must have at least {min_length} characters",
    "list_type": "it must be a list",
    "bool_type": "it must be true or false",
    "bool_parsing": "it must be true or false",
    "uuid_parsing": "it must be a UUID",
    "uuid_type": "it must be a UUID",
    "int_type": "it must be a whole number",
    "int_parsing": "it must be a whole number",
    "int_parsing_size": "it must be a smaller number",
    "literal_error": "it must be {expected}",
    "greater_than_equal": "it must be at least {ge}",
    "less_than_equal": "it must be at most {le}",
}


def body_from(shape: type[Shape], fields: Mapping[str, Any]) -> Shape:
    """A body with these values by their API names; raises the API's `InvalidRequest` for invalid ones."""
    try:
        return shape.model_validate(fields)
    except ValidationError as error:
        raise invalid_values(body_problems(error)) from None
