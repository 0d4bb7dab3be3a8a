"""Have other projects' tools read the API's description: `make test-contract`.

Linters must report nothing; generated clients must compile, and write, review and read an article.
"""

import os
import shutil
import sys

import httpx2

from tests.other_tools.steps import BUILD, HERE, NODE, PYTHON, Step, failed_steps, report
from tests.support.installation import Installation, installed

DOCUMENT = BUILD / "openapi.json"


def main() -> int:
    shutil.rmtree(BUILD, ignore_errors=True)
    BUILD.mkdir()
    with installed() as installation:
        installation.serve()
        installation.run("bot", "create", "Acme")
        DOCUMENT.write_bytes(httpx2.get(f"{installation.url}/v1/openapi.json").content)
        return report(failed_steps(steps(environment_of(installation))))


def environment_of(installation: Installation) -> dict[str, str]:
    key = installation.run("key", "create", "reader", "--scope", "content:write")["key"]
    return {
        "CONTRACT_URL": f"{installation.url}/v1",
        "CONTRACT_KEY": key,
        "PATH": f"{PYTHON}:{os.environ['PATH']}",
        "PYTHONPATH": str(BUILD / "python"),
        "REDOCLY_TELEMETRY": "off",
    }


def steps(environment: dict[str, str]) -> list[Step]:
    document = str(DOCUMENT)
    spectral = [str(NODE / "spectral"), "lint", "--ruleset", str(HERE / "spectral.yaml")]
    generator = [str(PYTHON / "openapi-python-client"), "generate", "--path", document]
    commands = {
        "openapi-spec-validator": [str(PYTHON / "openapi-spec-validator"), document],
        "Redocly": [str(NODE / "redocly"), "lint", "--extends", "recommended-strict", document],
        "Spectral": [*spectral, "--fail-severity", "hint", document],
        "openapi-python-client": [
            *generator,
            *("--fail-on-warning", "--output-path", str(BUILD / "python"), "--overwrite"),
        ],
        "the Python client": [str(PYTHON / "python"), str(HERE / "clients" / "client.py")],
        "openapi-typescript": [str(NODE / "openapi-typescript"), document, "-o", str(BUILD / "api.d.ts")],
        "tsc --strict": [str(NODE / "tsc"), "--project", str(HERE)],
        "the TypeScript client": ["node", str(BUILD / "out" / "clients" / "client.js")],
    }
    return [Step(name, command, environment=environment) for name, command in commands.items()]


if __name__ == "__main__":
    sys.exit(main())
