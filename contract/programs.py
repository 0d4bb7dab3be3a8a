"""The programs of `docs/webhooks.md`, saved as a reader would save them."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from contract.readers import HERE, MADE, PYTHON
from tests.webhooks.snippets import programs

# Node.js looks for packages in the folders above.
FOLDER = MADE / "verifiers"
RUN_SECONDS = 60


@dataclass(frozen=True)
class Program:
    """A verifier from the document, in a folder with its receiver."""

    name: str
    interpreter: str
    suffix: str
    place: int

    @property
    def folder(self) -> Path:
        return FOLDER / f"{self.suffix}-{self.place}"

    def save(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        verify, receiver, verdicts = (f"{stem}.{self.suffix}" for stem in ("verify", "receiver", "verdicts"))
        (self.folder / verify).write_text(programs()[verify][self.place])
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


def run(
    command: list[str], folder: Path, given: bytes = b"", environment: dict[str, str] | None = None
) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        input=given,
        env=environment,
        capture_output=True,
        check=False,
        timeout=RUN_SECONDS,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()
