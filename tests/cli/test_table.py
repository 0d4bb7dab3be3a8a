"""Lists in a terminal: aligned whatever they contain, and colored only if wanted."""

import os
import pty
import subprocess
import sys

from instep.cli.table import table

PROGRAM = "from instep.cli.table import table; print(table(['id'], [['a']]))"


def test_columns_are_aligned_below_their_names() -> None:
    assert table(["id", "revoked at", "name"], [["key_1", "-", "CI"], ["k", "2026-11-22", ""]]) == (
        "ID     REVOKED AT  NAME\nkey_1  -           CI\nk      2026-11-22"
    )


def test_wide_and_combining_signs_keep_the_columns() -> None:
    lines = table(["name", "id"], [["日本", "a"], ["e\N{COMBINING ACUTE ACCENT}t\u00e9", "b"]]).splitlines()

    assert lines == ["NAME  ID", "日本  a", "e\N{COMBINING ACUTE ACCENT}té   b"]


def test_a_cell_neither_breaks_its_line_nor_commands_the_terminal() -> None:
    assert (
        table(["name"], [["a\nb\x1b[2J\u202e"]])
        == "NAME\na b\N{REPLACEMENT CHARACTER}[2J\N{REPLACEMENT CHARACTER}"
    )


def test_headers_stand_out_on_a_terminal_and_nowhere_else() -> None:
    piped = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, check=True).stdout

    assert b"\x1b[1mID" in on_terminal()
    assert b"\x1b" not in on_terminal(NO_COLOR="1")
    assert b"\x1b" not in on_terminal(TERM="dumb")
    assert b"\x1b" not in piped


def on_terminal(**variables: str) -> bytes:
    """The program's output on a terminal."""
    ours = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    leader, follower = pty.openpty()
    environment = ours | {"TERM": "xterm"} | variables
    subprocess.run([sys.executable, "-c", PROGRAM], stdout=follower, env=environment, check=True)
    os.close(follower)
    output = os.read(leader, 1_000)
    os.close(leader)
    return output
