"""Orders the tests, and keeps some folders in one process, if several processes share the suite."""

import pytest
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

# Tests in these folders wait for servers and browsers. A single file takes as long as many others, so it must
# not start last.
SLOW_FOLDERS = (
    *("tests/demo/", "tests/runtime/", "tests/races/"),
    *("tests/browser/", "tests/interfaces/dashboard/", "tests/client/"),
)
# Files in these folders share servers or syntax trees, which every process would have to create again.
SHARING_FOLDERS = ("tests/races/", "tests/browser/", "tests/architecture/")


class ServersOnce(LoadFileScheduling):  # type: ignore[misc]
    """Runs each file in one process, and so each folder whose files share expensive fixtures."""

    def _split_scope(self, nodeid: str) -> str:
        folders = (folder for folder in SHARING_FOLDERS if nodeid.startswith(folder))
        return next(folders, nodeid.split("::", 1)[0])


def slow_first(item: pytest.Item) -> int:
    """A sort key that runs slow folders first and keeps each together."""
    places = (place for place, folder in enumerate(SLOW_FOLDERS) if item.nodeid.startswith(folder))
    return next(places, len(SLOW_FOLDERS))
