"""A diff that needs too much memory is refused with a reason and affects no other request."""

import pytest

from instep.platform.core import limits
from tests.support.cast import Api, Cast
from tests.support.changes import change
from tests.support.http import error

LINES = 3_000_000


async def test_a_diff_of_millions_of_lines_is_refused_or_taken_within_its_memory(
    api: Api, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time limit is raised so that only memory counts, on any machine."""
    monkeypatch.setattr(limits, "MAX_DIFF_PARSE_SECONDS", 60)
    diff = f"--- a/a.txt\n+++ b/a.txt\n@@ -0,0 +1,{LINES} @@\n" + "+a\n" * LINES

    answer = await api(cast.acme.write_key).post("/v1/tasks", json=change(diff=diff))

    if answer.status_code != 202:
        assert error(answer) == (400, "invalid_request")
        assert "memory" in answer.json()["error"]
        assert answer.json()["details"][0]["field"] == "change.diff"
