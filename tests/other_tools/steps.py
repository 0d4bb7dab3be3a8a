"""Run other projects' programs and report those that end with an unexpected exit code."""

import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUILD = HERE / "build"
PYTHON = ROOT / ".venv-contract" / "bin"
NODE = HERE / "node_modules" / ".bin"
STEP_SECONDS = 300
MAX_OUTPUT_CHARACTERS = 6_000


@dataclass(frozen=True)
class Step:
    """A program, its environment variables, and its expected exit code."""

    name: str
    command: list[str]
    exit_code: int = 0
    environment: Mapping[str, str] = field(default_factory=dict)


def failed_steps(steps: Iterable[Step]) -> list[str]:
    """Run the steps in order; return the names of those that failed."""
    return [step.name for step in steps if not succeeds(step)]


def succeeds(step: Step) -> bool:
    result = subprocess.run(
        step.command,
        env={**os.environ, **step.environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=STEP_SECONDS,
    )
    is_success = result.returncode == step.exit_code
    print(f"{'ok' if is_success else 'NO':3} {step.name}", flush=True)
    if not is_success:
        print(f"It ended with {result.returncode}.\n{result.stdout[-MAX_OUTPUT_CHARACTERS:]}")
        print(result.stderr[-MAX_OUTPUT_CHARACTERS:])
    return is_success


def report(failures: list[str]) -> int:
    """Print a summary; return the number of failures as the exit code."""
    print(f"failed: {', '.join(failures)}" if failures else "all steps succeeded")
    return len(failures)
