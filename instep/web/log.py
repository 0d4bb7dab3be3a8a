"""How log lines look: one JSON object a line, in UTC."""

import logging
import sys

import structlog


def configure_logging() -> None:
    """Send every log line to standard error; control characters in values are escaped by JSON."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[*shared, structlog.processors.JSONRenderer()],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processor=structlog.processors.JSONRenderer(), foreign_pre_chain=shared
        )
    )
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    # It tells of every start that nothing was to do.
    logging.getLogger("alembic").setLevel(logging.WARNING)
    # Of every request, what its own line tells already.
    logging.getLogger("mcp").setLevel(logging.WARNING)
