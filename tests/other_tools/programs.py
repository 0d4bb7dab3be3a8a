"""The programs of `docs/webhooks.md`, saved as a reader would save them."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.other_tools.steps import BUILD, HERE, PYTHON
from tests.support.webhook_snippets import programs

# Node.js looks for packages in the parent folders, so this one is below `node_modules`' parent.
FOLDER = BUILD / "verifiers"
RUN_SECONDS = 60


@dataclass(frozen=True)
class Program:
    """A verifier from the document, by its index within its language, in a folder with its receiver."""

    name: str
    interpreter: str
    suffix: str
    index: int

    @property
    def folder(self) -> Path:
        return FOLDER / f"{self.suffix}-{self.index}"

    def save(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        verify, receiver, verdicts = (f"{stem}.{self.suffix}" for stem in ("verify", "receiver", "verdicts"))
        (self.folder / verify).write_text(programs()[verify][self.index])
        (self.folder / receiver).write_text(programs()[receiver][0])
        shutil.copy(HERE / "clients" / verdicts, self.folder)

    def command(self, stem: str) -> list[str]:
        return [self.interpreter, f"{stem}.{self.suffix}"]


PROGRAMS = [
    Program("Python", str(PYTHON / "python"), "py", 0),
    Program("Stripe's library for Python", str(PYTHON / "python"), "py", 1),
    Program("Node.js", "node", "mjs", 0),
    Program("Stripe's library for Node.js", "node", "mjs", 1),
]


def output_of(command: list[str], folder: Path, stdin: bytes = b"") -> str:
    """The output of a command, which must succeed."""
    result = subprocess.run(
        command, cwd=folder, input=stdin, capture_output=True, check=False, timeout=RUN_SECONDS
    )
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout.decode()
