"""The command starts at once: modules that take long to load are only loaded by commands that need them."""

import json
import subprocess
import sys

from tests.support.installation import COMMAND
from tests.support.wording import like

HEAVY = {"fastapi", "mcp", "numpy", "psycopg", "starlette", "uvicorn"}
HELP = """
from contextlib import suppress
from instep.cli import main
for asked in ("", "change", "draft apply"):
    sys.argv = ["instep", *asked.split(), "--help"]
    with suppress(SystemExit):
        main()
"""


def loaded_by(program: str) -> set[str]:
    program = (
        f"import json, sys\n{program}\nprint(json.dumps([name.partition('.')[0] for name in sys.modules]))"
    )
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(process.stdout.splitlines()[-1]))


def test_output_that_can_not_be_written_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        process = subprocess.run([COMMAND, "--version"], stdout=full, stderr=subprocess.PIPE, text=True)

    [line] = process.stderr.splitlines()
    assert line == like("instep: The output…No space left on device.")
    assert process.returncode == 1


def test_a_full_disk_is_not_blamed_on_the_output_alone() -> None:
    program = """
import errno, sys
from instep import cli
def fill(**options):
    raise OSError(errno.ENOSPC, "No space left on device")
cli.app = fill
cli.main()
"""
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert process.stderr == "instep: The output or a file can't be written: No space left on device.\n"
    assert process.returncode == 1


def test_help_loads_nothing_that_takes_long() -> None:
    assert loaded_by(HELP) & (HEAVY | {"httpx2"}) == set()


def test_a_change_is_sent_without_what_a_server_needs() -> None:
    """A CI job runs this command on every push."""
    assert loaded_by("import instep.client.ci.command") & HEAVY == set()


def test_a_draft_is_reviewed_without_what_a_server_needs() -> None:
    assert loaded_by("import instep.client.review.command") & HEAVY == set()
