"""Logging: readable lines on a terminal, otherwise one JSON object per line, in UTC; a setting can choose."""

import io
import json
import logging
import os
import sys
from typing import TextIO, cast

import structlog

from instep.platform.core.config import settings
from instep.platform.web.log_lines import HumanLines

# Loggers that are in use keep this list: another configuration changes it in place.
PROCESSORS: list[structlog.typing.Processor] = []


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
