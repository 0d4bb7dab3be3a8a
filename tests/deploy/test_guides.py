"""The guides for deployment, backups and upgrades: commands can be pasted, and files exist."""

import re
import subprocess
from pathlib import Path

import pytest

from instep.demo.help import HELP

ROOT = Path(__file__).parents[2]
GUIDES = [
    HELP / "02-run-it" / name
    for name in (
        "14-put-it-into-production.md",
        "15-deploy.md",
        "16-back-up-and-restore.md",
        "17-upgrade.md",
    )
]
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
COMMANDS = [
    text for guide in GUIDES for _, language, text in BLOCK.findall(guide.read_text()) if language == "text"
]


@pytest.mark.parametrize("commands", COMMANDS)
def test_commands_of_the_guides_are_valid_for_a_shell(commands: str) -> None:
    process = subprocess.run(["sh", "-n"], input=commands, text=True, capture_output=True, check=False)

    assert (process.returncode, process.stderr) == (0, "")


def test_the_files_that_they_name_exist() -> None:
    text = "\n".join(COMMANDS)
    names = set(re.findall(r"(?:/opt/instep/|\s)(deploy/[\w./-]+)", text))

    assert len(names) >= 7
    made_by_people = {"deploy/compose.env"}
    assert [name for name in names - made_by_people if not (ROOT / name).is_file()] == []
