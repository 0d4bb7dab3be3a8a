"""What forms send, as the bodies that actions take: pages and the API refuse the same values."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from instep.core.errors import InvalidRequest, InvalidValue
from instep.web.errors import first_fault
from instep.web.shapes import Body

Shape = TypeVar("Shape", bound=Body)


def body_from(shape: type[Shape], fields: Mapping[str, Any]) -> Shape:
    """A body with these values by their names in the API; raises `InvalidValue` for the first bad one."""
    try:
        return shape.model_validate(fields)
    except ValidationError as error:
        raise InvalidValue(*first_fault(error)) from None


def errors_by_field(error: InvalidRequest) -> dict[str, str]:
    """What is wrong with each field, as sentences."""
    return {field: f"{message[:1].upper()}{message[1:]}." for field, message in error.details}
