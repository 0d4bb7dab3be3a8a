"""Log lines for people at a terminal: time, level, message, the end of the request's id."""

from collections.abc import Mapping
from typing import Any

from structlog.typing import EventDict, WrappedLogger

from instep.platform.core.request_ids import FIELD

RESET, DIM = "\x1b[0m", "\x1b[2m"
COLOURS = {"warning": "\x1b[33m", "error": "\x1b[31m", "critical": "\x1b[31m"}
# The end of a `Request-Id`, long enough to find the line for an id that a caller reports.
ID_CHARACTERS = 8


class HumanLines:
    """A processor of structlog that renders an event as one line, and an exception below it."""

    def __init__(self, *, has_colour: bool) -> None:
        self.has_colour = has_colour

    def __call__(self, logger: WrappedLogger, name: str, event: EventDict) -> str:
        fields = dict(event)
        time, level = str(fields.pop("timestamp", "")), str(fields.pop("level", "info"))
        request_id, trace = fields.pop(FIELD, None), fields.pop("exception", None)
        words = [
            self.coloured(time, DIM),
            self.coloured(f"{level:7}", COLOURS.get(level, "")),
            message_of(str(fields.pop("event", "")), fields),
            *(f"{key}={printable(value)}" for key, value in fields.items()),
        ]
        if request_id is not None:
            words.append(self.coloured(f"…{printable(request_id)[-ID_CHARACTERS:]}", DIM))
        lines = [" ".join(words), *(printable(line) for line in str(trace or "").splitlines())]
        return "\n".join(lines)

    def coloured(self, text: str, colour: str) -> str:
        return f"{colour}{text}{RESET}" if self.has_colour and colour else text


def message_of(event: str, fields: dict[str, Any]) -> str:
    """The message; for a request it is made from its fields, which are removed."""
    if event != "request":
        return printable(event)
    request: Mapping[str, str] = {
        key: printable(fields.pop(key, "-")) for key in ("method", "path", "status", "ms")
    }
    return "{method} {path} {status} in {ms} ms".format(**request)


def printable(value: object) -> str:
    """The value with escaped control characters, which a terminal would obey."""
    return "".join(
        character if character.isprintable() else repr(character)[1:-1] for character in str(value)
    )
