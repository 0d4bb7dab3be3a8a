"""Logging: readable lines on a terminal, otherwise one JSON object per line, in UTC; a setting can choose."""

import io
import json
import logging
import os
import sys
from collections.abc import Mapping
from typing import Any, TextIO, cast

import structlog
from structlog.typing import EventDict, WrappedLogger

from instep.platform.core.config import settings
from instep.platform.core.ids import REQUEST_ID_FIELD

RESET, DIM = "\x1b[0m", "\x1b[2m"
COLOURS = {"warning": "\x1b[33m", "error": "\x1b[31m", "critical": "\x1b[31m"}
# The end of a `Request-Id`, long enough to find the line for an id that a caller reports.
ID_CHARACTERS = 8
# Loggers that are in use keep this list: another configuration changes it in place.
PROCESSORS: list[structlog.typing.Processor] = []


class HumanLines:
    """A processor of structlog that renders an event as one line, and an exception below it."""

    def __init__(self, *, has_colour: bool) -> None:
        self.has_colour = has_colour

    def __call__(self, logger: WrappedLogger, name: str, event: EventDict) -> str:
        fields = dict(event)
        time, level = str(fields.pop("timestamp", "")), str(fields.pop("level", "info"))
        request_id, trace = fields.pop(REQUEST_ID_FIELD, None), fields.pop("exception", None)
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


class CurrentStderr(io.TextIOBase):
    """The current standard error, looked up for each line: cached loggers may outlive a closed one."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


class JsonLines:
    """Renders a line as JSON; the library's own renderer creates an encoder for each line."""

    def __init__(self) -> None:
        self.encode = json.JSONEncoder(default=repr).encode

    def __call__(self, logger: object, method: str, event: structlog.typing.EventDict) -> str:
        return self.encode(event)


def configure_logging() -> None:
    """Send every log line to standard error; control characters in values are escaped in both forms."""
    form = settings().log_format
    is_text = sys.stderr.isatty() if form is None else form == "text"
    renderer: structlog.typing.Processor = (
        HumanLines(has_colour=sys.stderr.isatty() and not os.environ.get("NO_COLOR"))
        if is_text
        else JsonLines()
    )
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="%H:%M:%S" if is_text else "iso", utc=not is_text),
        structlog.processors.format_exc_info,
    ]
    PROCESSORS[:] = [*shared, renderer]
    structlog.configure(
        processors=PROCESSORS,
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.WriteLoggerFactory(cast(TextIO, CurrentStderr())),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processor=renderer, foreign_pre_chain=shared))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    # The MCP SDK logs every request, which already has its own line.
    logging.getLogger("mcp").setLevel(logging.WARNING)
