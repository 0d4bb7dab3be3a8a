"""The article about reviewing describes every option of `instep draft`, and its commands run."""

import re
from pathlib import Path

from typer.testing import CliRunner

from instep.cli import app
from instep.client.ci.command import FAILED

ARTICLE = (Path(__file__).parents[3] / "docs" / "help" / "05-review" / "02-review-drafts.md").read_text()
COMMANDS = ("list", "show", "apply", "dismiss", "reopen")


def options_of(command: str) -> set[str]:
    help_text = CliRunner().invoke(app, ["draft", command, "--help"]).output
    return set(re.findall(r"^\W+(--[a-z-]+)", help_text, re.MULTILINE)) - {"--help"}


def test_every_option_is_told() -> None:
    documented = {
        option: set(COMMANDS) if of == "all" else {of.strip("`")}
        for option, of in re.findall(r"^\| `(--[a-z-]+)[^|]*(?:\\\|[^|]*)*\| (\S+) \|", ARTICLE, re.MULTILINE)
    }

    assert {name: {option for option in documented if name in documented[option]} for name in COMMANDS} == {
        name: options_of(name) for name in COMMANDS
    }


def test_every_command_is_shown_and_the_exit_codes_are_those_of_the_commands() -> None:
    [lines] = re.findall(r"```text\nexport INSTEP_URL.*?```", ARTICLE, re.DOTALL)

    assert tuple(re.findall(r"^instep draft (\w+)", lines, re.MULTILINE)) == COMMANDS
    assert re.findall(r"^\| (\d) \| ", ARTICLE, re.MULTILINE) == ["0", str(FAILED), "2"]


def test_every_command_gives_an_example() -> None:
    for name in COMMANDS:
        assert f"   instep draft {name}" in CliRunner().invoke(app, ["draft", name, "--help"]).output
