"""Serves a test repository over HTTP with git's own program, to clients with the token."""

import base64
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.support.ci_servers import Asked, Reply
from tests.support.repositories import Repository, new_repository

OLD_FLAG = "parser.add_argument('--keep-days', type=int, default=30)\n"
OLD_MODE = "parser.add_argument('--legacy-mode', action='store_true')\n"
CODE = f"import argparse\n\nparser = argparse.ArgumentParser()\n{OLD_FLAG}{OLD_MODE}"
# Two statements that the code contradicts, and one about a flag that the code never had.
TEXT = (
    "# Clean up\n\nPass `--keep-days` to keep what is newer. With `--legacy-mode` all stays on disk.\n"
    "\nPass `--example-only` to your own program.\n"
)


def changed_code(folder: Path) -> Repository:
    """A product's code that renamed one flag and removed another after its articles were written."""
    repository = new_repository(folder)
    repository.git("config", "user.name", "Alice")
    repository.git("config", "user.email", "alice@acme.test")
    repository.commit("Begin", {"app/cli.py": CODE})
    renamed = CODE.replace("--keep-days", "--retention-days")
    repository.commit("Rename the flag of the retention", {"app/cli.py": renamed})
    repository.commit("Drop the old mode", {"app/cli.py": renamed.replace(OLD_MODE, "")})
    return repository


@dataclass(frozen=True)
class GitServer:
    """Serves one repository, `acme/app.git`; requests without `credentials` get 401."""

    folder: Path
    credentials: str

    def answer(self, asked: Asked) -> Reply:
        expected = f"Basic {base64.b64encode(self.credentials.encode()).decode()}"
        if asked.headers.get("authorization") != expected:
            return Reply(401, text="", headers={"WWW-Authenticate": 'Basic realm="git"'})
        method, _, address = asked.line.partition(" ")
        path, _, query = address.partition("?")
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
            "GIT_PROTOCOL": asked.headers.get("git-protocol", ""),
            "PATH_INFO": path.partition(".git")[2],
            "QUERY_STRING": query,
            "REQUEST_METHOD": method,
            "CONTENT_TYPE": asked.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(asked.body)),
            "HTTP_CONTENT_ENCODING": asked.headers.get("content-encoding", ""),
        }
        process = subprocess.run(
            ["git", "http-backend"], input=asked.body, env=environment, capture_output=True, check=True
        )
        head, _, content = process.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().splitlines())
        status = int(headers.pop("Status", "200").partition(" ")[0])
        return Reply(status, raw=content, headers=headers)
