"""Runs programs of `package.json` with Playwright's Node.js, because the system's own may be too old."""

import os
import subprocess
from pathlib import Path

import playwright

FOLDER = Path(__file__).parent
NODE = Path(playwright.__file__).parent / "driver" / "node"


def run_node(program: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program's output; `program` is its path below `node_modules`."""
    return subprocess.run(
        [str(NODE), str(FOLDER / "node_modules" / program), *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
