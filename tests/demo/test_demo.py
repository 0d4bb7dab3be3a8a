"""`instep demo` as a newcomer meets it: every line that it prints works, and its change leaves no doubts."""

import re
import subprocess
from collections.abc import Iterator

import pytest

from tests.support.installation import READY_SECONDS, Installation, free_port, installed

# The last line looks at the public page of the second draft.
LINES = re.compile(r"^export INSTEP_URL=(?:.*?^curl [^\n]* \| grep [^\n]*\n){2}", re.MULTILINE | re.DOTALL)


@pytest.fixture
def lines() -> Iterator[str]:
    """What a demo tells people to paste; it serves until the test ends."""
    with installed() as demo:
        process = demo.start("demo", "--port", str(free_port()))
        try:
            demo.until(lambda: LINES.search(printed(demo)) is not None, READY_SECONDS)
            [text] = LINES.finditer(printed(demo))
            yield text[0]
        finally:
            # Its database and data folder are its own: it takes them along when it ends well.
            process.terminate()
            process.wait(READY_SECONDS)


def printed(demo: Installation) -> str:
    return (demo.folder / "log").read_text()


def test_every_line_works_and_the_change_leaves_no_doubts(lines: str) -> None:
    shell = ["bash", "-e", "-o", "pipefail", "-c", lines]

    process = subprocess.run(shell, capture_output=True, text=True, timeout=READY_SECONDS, check=False)

    assert process.returncode == 0, process.stderr
    assert process.stdout.count("was applied to") == 2
    # The lines of the pages, unlike those of the diffs, begin without a sign.
    assert len(re.findall(r"^[^-+ ].*`INSTEP_REQUESTS_PER_MINUTE`", process.stdout, re.MULTILINE)) == 2
    # What the API shows of the queue is looked at before it is empty.
    assert '"results": []' not in process.stdout
    assert process.stdout.count('"articleTitle": ') >= 2
    # The evidence is code of the product, and there is nothing to check by hand.
    assert set(re.findall(r"^  code    (\S+?):", process.stdout, re.MULTILINE)) == {
        "instep/platform/core/config.py"
    }
    assert re.findall(r"^  check .*", process.stdout, re.MULTILINE) == []
    # Both changes are renames, so each line that comes in takes the place of one that goes.
    sizes = re.findall(r"\(edit, \+(\d+) -(\d+)\)", process.stdout)
    assert len(sizes) == 2
    assert all(added == removed for added, removed in sizes)
