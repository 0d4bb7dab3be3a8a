"""Ask the API everything that its description allows and much that it forbids: `make fuzz`.

Limits are raised, since a fuzzer asks more than 120 times a minute; all else is as users run it.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.runtime.installation import installed

HERE = Path(__file__).parent
ROOT = HERE.parent
FUZZER = ROOT / ".venv-contract" / "bin" / "schemathesis"
LIMITS = (
    "INSTEP_REQUESTS_PER_MINUTE",
    "INSTEP_ANONYMOUS_REQUESTS_PER_MINUTE",
    "INSTEP_TASKS_PER_HOUR",
)
MANY = "1000000"


def main(arguments: list[str]) -> int:
    raised = dict.fromkeys(LIMITS, MANY)
    with installed(**raised) as installation:
        installation.serve()
        bot = installation.run("bot", "create", "Acme")["id"]
        key = installation.run("key", "create", "fuzzer", "--scope", "content:write")["key"]
        return fuzz(installation.url, {"CONTRACT_KEY": key, "CONTRACT_BOT": bot}, arguments)


def fuzz(url: str, secrets: dict[str, str], arguments: list[str]) -> int:
    command = [
        str(FUZZER),
        *("--config-file", str(HERE / "schemathesis.toml")),
        *("run", f"{url}/v1/openapi.json"),
        *("--checks", "all", "--phases", "examples,coverage,fuzzing,stateful"),
        *arguments,
    ]
    done = subprocess.run(command, env=os.environ | secrets, cwd=ROOT, check=False)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
