"""Log lines for people at a terminal: time, level, message, the end of the request's id."""

from collections.abc import Mapping
from typing import Any

from structlog.typing import EventDict, WrappedLogger

RESET, DIM = "\x1b[0m", "\x1b[2m"
COLOURS = {"warning": "\x1b[33m", "error": "\x1b[31m", "critical": "\x1b[31m"}
# Enough of a `Request-Id` to find it by the one that a caller reports.
ID_CHARACTERS = 8


class HumanLines:
    """A processor of structlog that renders an event as one line, and an exception below it."""

    def __init__(self, *, has_colour: bool) -> None:
        self.has_colour = has_colour

    def __call__(self, logger: WrappedLogger, name: str, event: EventDict) -> str:
        fields = dict(event)
        time, level = str(fields.pop("timestamp", "")), str(fields.pop("level", "info"))
        request_id, trace = fields.pop("id", None), fields.pop("exception", None)
        words = [
            self.painted(time, DIM),
            self.painted(f"{level:7}", COLOURS.get(level, "")),
            message_of(str(fields.pop("event", "")), fields),
            *(f"{key}={printable(value)}" for key, value in fields.items()),
        ]
        if request_id is not None:
            words.append(self.painted(f"…{printable(request_id)[-ID_CHARACTERS:]}", DIM))
        lines = [" ".join(words), *(printable(line) for line in str(trace or "").splitlines())]
        return "\n".join(lines)

    def painted(self, text: str, colour: str) -> str:
        return f"{colour}{text}{RESET}" if self.has_colour and colour else text


def message_of(event: str, fields: dict[str, Any]) -> str:
    """The message; that of a request is made of its fields, which it takes out."""
    if event != "request":
        return printable(event)
    request: Mapping[str, str] = {
        key: printable(fields.pop(key, "-")) for key in ("method", "path", "status", "ms")
    }
    return "{method} {path} {status} in {ms} ms".format(**request)


def printable(value: object) -> str:
    """As it may stand on a terminal, which obeys some control characters."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in str(value))
