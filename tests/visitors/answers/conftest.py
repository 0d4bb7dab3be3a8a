"""Fixtures of the tests of answers."""

from typing import Any

import pytest
import structlog
from structlog.testing import LogCapture


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The lines that requests and errors log from now on."""
    capture = LogCapture()
    for module in ("middleware", "errors"):
        log = structlog.wrap_logger(None, processors=[capture])
        monkeypatch.setattr(f"instep.platform.web.{module}.log", log)
    return capture.entries
