"""What the tests of webhooks share."""

from collections.abc import Callable, Iterator

import pytest

from instep.core.config import settings

Allow = Callable[[str], None]


@pytest.fixture
def allow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Allow]:
    """Set the operator's allow-list for this test."""

    def set_list(entries: str) -> None:
        monkeypatch.setenv("INSTEP_WEBHOOK_ALLOW", entries)
        settings.cache_clear()

    yield set_list
    settings.cache_clear()
