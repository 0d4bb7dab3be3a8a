"""Reads a style from a file, as `instep style export` and the API write it."""

from pathlib import Path

from pydantic import ValidationError

from instep.content.style.schemas import Style
from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest
from instep.platform.web.errors import first_fault


def read_style(path: Path) -> Style:
    """The style in a file, with empty values for fields that it leaves out; raises `InvalidRequest`."""
    try:
        style = Style.model_validate_json(read_small(path))
        return Style.model_validate(style.model_dump(by_alias=True))
    except ValidationError as error:
        field, message = first_fault(error)
        raise InvalidRequest(f"{path} is not a style: `{field}`: {message}.") from None


def read_small(path: Path) -> str:
    """The text of a file of limited size; raises `InvalidRequest`."""
    try:
        if path.stat().st_size > limits.MAX_STYLE_FILE_BYTES:
            raise InvalidRequest(f"{path} is larger than {limits.MAX_STYLE_FILE_BYTES:,} bytes.")
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise InvalidRequest(f"{path} can't be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InvalidRequest(f"{path} is not UTF-8: save it as UTF-8.") from None
