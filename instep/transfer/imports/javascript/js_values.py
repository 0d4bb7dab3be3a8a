"""Values of expressions in configuration files that can be determined without running them."""

from dataclasses import dataclass
from typing import TypeAlias

# The number of characters of an expression in a report.
SHOWN_SOURCE_CHARACTERS = 60
JsValue: TypeAlias = (
    "str | int | float | bool | list[JsValue] | dict[str, JsValue] | JsCall | JsUnknown | None"
)


@dataclass(frozen=True, slots=True)
class JsUnknown:
    """An expression whose value depends on a running program; `line` counts from 1."""

    text: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class JsCall:
    """A call of a function that is not in the file, such as `defineConfig({…})`."""

    name: str
    arguments: tuple[JsValue, ...]
    text: str
    path: str
    line: int


def js_object(value: JsValue) -> dict[str, JsValue]:
    """The object, or the object argument of a call such as `defineConfig({…})`; otherwise an empty one."""
    if isinstance(value, JsCall):
        return next((inner for inner in map(js_object, value.arguments) if inner), {})
    return value if isinstance(value, dict) else {}


def js_array(value: JsValue) -> list[JsValue]:
    return value if isinstance(value, list) else []


def js_text(value: JsValue) -> str:
    """A string or number as a string, the string in `useBaseUrl('/img/a.png')`, or an empty string."""
    if isinstance(value, JsCall):
        return next((text for text in map(js_text, value.arguments) if text), "")
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return str(value)


def at(value: JsValue, *keys: str) -> JsValue:
    """A value in nested objects; None if it is missing."""
    for key in keys:
        value = js_object(value).get(key)
    return value
