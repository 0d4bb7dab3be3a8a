"""Which tests run first, and which stay in one process, when several processes share the suite."""

import pytest
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

# The tests of these folders wait for servers and browsers. One of their files takes as long as many
# others, so it must not begin when all others have ended.
SLOW_FOLDERS = (
    *("tests/demo/", "tests/runtime/", "tests/races/"),
    *("tests/browser/", "tests/interfaces/dashboard/", "tests/client/"),
)
# The files of such a folder share servers or syntax trees, which each process would make anew.
SHARING_FOLDERS = ("tests/races/", "tests/browser/", "tests/architecture/")


class ServersOnce(LoadFileScheduling):  # type: ignore[misc]
    """Each file is run by one process, and so is a folder whose files share what is expensive."""

    def _split_scope(self, nodeid: str) -> str:
        folders = (folder for folder in SHARING_FOLDERS if nodeid.startswith(folder))
        return next(folders, nodeid.split("::", 1)[0])


def slow_first(item: pytest.Item) -> int:
    """The sort key of a test: slow folders first, each as a whole."""
    places = (place for place, folder in enumerate(SLOW_FOLDERS) if item.nodeid.startswith(folder))
    return next(places, len(SLOW_FOLDERS))
