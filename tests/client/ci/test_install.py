"""CI jobs install a built package instead of this checkout, and it contains everything the command needs."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from instep.demo.help import read_help

ROOT = Path(__file__).parents[3]


def test_the_command_runs_from_a_built_package(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, capture_output=True, check=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")

    program = "from instep import cli; cli.app(['change', '--help'])"
    process = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "installed")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert process.returncode == 0, process.stderr
    assert "--check" in process.stdout
    help_there = list(read_help(tmp_path / "installed" / "instep" / "demo" / "help"))
    assert help_there == list(read_help())
