"""`instep demo` for a newcomer: every printed line works, and the change leaves no questions open."""

import re
import subprocess
from collections.abc import Iterator

import pytest

from tests.support.installation import READY_SECONDS, Installation, free_port, installed

# The last line reads the public page of the second draft.
LINES = re.compile(r"^export INSTEP_URL=(?:.*?^curl [^\n]* \| grep [^\n]*\n){2}", re.MULTILINE | re.DOTALL)


@pytest.fixture
def lines() -> Iterator[str]:
    """The lines that a demo tells people to paste, while the demo runs."""
    with installed() as demo:
        process = demo.start("demo", "--port", str(free_port()))
        try:
            demo.until(lambda: LINES.search(printed(demo)) is not None, READY_SECONDS)
            [text] = LINES.finditer(printed(demo))
            yield text[0]
        finally:
            # The demo removes its own database and data folder when it is stopped regularly.
            process.terminate()
            process.wait(READY_SECONDS)


def printed(demo: Installation) -> str:
    return (demo.folder / "log").read_text()


def test_every_line_works_and_the_change_leaves_no_doubts(lines: str) -> None:
    shell = ["bash", "-e", "-o", "pipefail", "-c", lines]

    process = subprocess.run(shell, capture_output=True, text=True, timeout=READY_SECONDS, check=False)

    assert process.returncode == 0, process.stderr
    assert process.stdout.count("was applied to") == 2
    # Lines of pages, unlike those of diffs, begin without a sign.
    assert len(re.findall(r"^[^-+ ].*`INSTEP_REQUESTS_PER_MINUTE`", process.stdout, re.MULTILINE)) == 2
    # The lines read the queue through the API before it is empty.
    assert '"results": []' not in process.stdout
    assert process.stdout.count('"articleTitle": ') >= 2
    # The evidence is product code, and nothing has to be checked by hand.
    assert set(re.findall(r"^  code    (\S+?):", process.stdout, re.MULTILINE)) == {
        "instep/platform/core/config.py"
    }
    assert re.findall(r"^  check .*", process.stdout, re.MULTILINE) == []
    # Both changes are renames, so each added line replaces a removed one.
    sizes = re.findall(r"\(edit, \+(\d+) -(\d+)\)", process.stdout)
    assert len(sizes) == 2
    assert all(added == removed for added, removed in sizes)
