"""Where the hostile inputs are, and that nobody meets them who did not ask: `make test-corpora`."""

from pathlib import Path

import pytest

CORPORA = Path(__file__).parents[3] / "shared" / "data" / "corpora"


@pytest.fixture(scope="session")
def corpora() -> Path:
    if not CORPORA.is_dir():
        pytest.skip(f"the hostile inputs are missing: there is no folder {CORPORA}")
    return CORPORA


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "corpora" in config.option.markexpr:
        return
    left_out = [item for item in items if item.get_closest_marker("corpora")]
    if left_out:
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)
