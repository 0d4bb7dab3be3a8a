"""Send the API everything that its description allows and much that it forbids: `make test-fuzz`.

Rate limits are raised for the fuzzer; all other settings are the defaults.
"""

import os
import subprocess
import sys

from tests.other_tools.steps import HERE, PYTHON, ROOT
from tests.support.installation import installed

RATE_LIMITS = (
    "INSTEP_REQUESTS_PER_MINUTE",
    "INSTEP_ANONYMOUS_REQUESTS_PER_MINUTE",
    "INSTEP_TASKS_PER_HOUR",
)
RAISED_LIMIT = "1000000"


def main(arguments: list[str]) -> int:
    with installed(**dict.fromkeys(RATE_LIMITS, RAISED_LIMIT)) as installation:
        installation.serve()
        bot = installation.run("bot", "create", "Acme")["id"]
        key = installation.run("key", "create", "fuzzer", "--scope", "content:write")["key"]
        return fuzz(installation.url, {"CONTRACT_KEY": key, "CONTRACT_BOT": bot}, arguments)


def fuzz(url: str, secrets: dict[str, str], arguments: list[str]) -> int:
    command = [
        str(PYTHON / "schemathesis"),
        *("--config-file", str(HERE / "schemathesis.toml")),
        *("run", f"{url}/v1/openapi.json"),
        *("--checks", "all", "--phases", "examples,coverage,fuzzing,stateful"),
        *arguments,
    ]
    return subprocess.run(command, env=os.environ | secrets, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
