"""The conformance suite's mode for authorization servers: it prints a URL, which a person opens."""

import json
import re
import subprocess
import sys

import httpx2

from tests.other_tools.person import Person
from tests.support.installation import free_port

AUTHORIZATION_URL = re.compile(r"^http\S+/oauth/authorize\?\S+$", re.MULTILINE)


def main(site: str, *command: str) -> int:
    port = free_port()
    client_id = register_client(site, f"http://127.0.0.1:{port}/callback")
    options = ["--url", site, "--client-id", client_id, "--resource", f"{site}/mcp/admin", "-p", str(port)]
    with subprocess.Popen([*command, "authorization", *options], stdout=subprocess.PIPE, text=True) as suite:
        assert suite.stdout is not None
        for line in suite.stdout:
            print(line, end="")
            if AUTHORIZATION_URL.match(line):
                httpx2.get(Person(site).allow(line.strip(), "content:read"))
    return suite.returncode


def register_client(site: str, redirect_uri: str) -> str:
    response = httpx2.post(f"{site}/oauth/register", json={"redirect_uris": [redirect_uri]})
    client_id: str = response.json()["client_id"]
    return client_id


if __name__ == "__main__":
    sys.exit(main(*json.loads(sys.argv[1])))
