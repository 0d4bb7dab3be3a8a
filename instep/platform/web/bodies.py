"""Request bodies made of forms and files: pages and the API refuse the same values."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from instep.platform.web.errors import body_problems, invalid_values

Shape = TypeVar("Shape", bound=BaseModel)


def body_from(shape: type[Shape], fields: Mapping[str, Any]) -> Shape:
    """A body with these values by their API names; raises the API's `InvalidRequest` for invalid ones."""
    try:
        return shape.model_validate(fields)
    except ValidationError as error:
        raise invalid_values(body_problems(error)) from None
