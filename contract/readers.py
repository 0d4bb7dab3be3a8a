"""Have other people's tools read the API's description: `make contract`.

Linters must find nothing to say; clients that are generated from it must compile and go round the loop.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import httpx2

from tests.runtime.installation import Installation, installed

HERE = Path(__file__).parent
MADE = HERE / "made"
DOCUMENT = MADE / "openapi.json"
PYTHON = HERE.parent / ".venv-contract" / "bin"
NODE = HERE / "node_modules" / ".bin"
Step = tuple[str, list[str]]


def main() -> int:
    shutil.rmtree(MADE, ignore_errors=True)
    MADE.mkdir()
    with installed() as installation:
        installation.serve()
        installation.run("bot", "create", "Acme")
        DOCUMENT.write_bytes(httpx2.get(f"{installation.url}/v1/openapi.json").content)
        environment = environment_of(installation)
        failed = [name for name, command in steps() if not succeeds(name, command, environment)]
    print("failed: " + ", ".join(failed) if failed else "everything that reads the description is content")
    return len(failed)


def environment_of(installation: Installation) -> dict[str, str]:
    key = installation.run("key", "create", "reader", "--scope", "content:write")["key"]
    return os.environ | {
        "CONTRACT_URL": f"{installation.url}/v1",
        "CONTRACT_KEY": key,
        "PATH": f"{PYTHON}:{os.environ['PATH']}",
        "PYTHONPATH": str(MADE / "python"),
        "REDOCLY_TELEMETRY": "off",
    }


def steps() -> list[Step]:
    document = str(DOCUMENT)
    return [
        ("openapi-spec-validator", [str(PYTHON / "openapi-spec-validator"), document]),
        ("Redocly", [str(NODE / "redocly"), "lint", "--extends", "recommended-strict", document]),
        (
            "Spectral",
            [
                *(str(NODE / "spectral"), "lint", "--ruleset", str(HERE / "spectral.yaml")),
                *("--fail-severity", "hint", document),
            ],
        ),
        (
            "openapi-python-client",
            [
                *(str(PYTHON / "openapi-python-client"), "generate", "--path", document),
                *("--fail-on-warning", "--output-path", str(MADE / "python"), "--overwrite"),
            ],
        ),
        ("the Python client", [str(PYTHON / "python"), str(HERE / "clients" / "client.py")]),
        ("openapi-typescript", [str(NODE / "openapi-typescript"), document, "-o", str(MADE / "api.d.ts")]),
        ("tsc --strict", [str(NODE / "tsc"), "--project", str(HERE)]),
        ("the TypeScript client", ["node", str(MADE / "out" / "clients" / "client.js")]),
    ]


def succeeds(name: str, command: list[str], environment: dict[str, str]) -> bool:
    done = subprocess.run(command, env=environment, cwd=HERE, capture_output=True, text=True, check=False)
    print(f"{'ok' if done.returncode == 0 else 'NO':3} {name}")
    if done.returncode != 0:
        print(done.stdout + done.stderr)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
