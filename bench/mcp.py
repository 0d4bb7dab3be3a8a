"""`make bench-mcp`: compares tools/call over HTTP with the same REST call, on one server process."""

import json
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.installation import ARTICLES, BOTS, URL, installed, servers
from bench.load import run_wrk, script_with_keys
from bench.processes import processor_seconds

SECONDS = 4
ROUNDS = 3
MODERN, LEGACY = "2026-07-28", "2025-11-25"
LAST = ARTICLES // BOTS - 1


@dataclass(frozen=True, slots=True)
class Cost:
    """The result of a run: calls per second, and the server's CPU time per call in milliseconds."""

    per_second: float
    milliseconds: float


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="instep-bench-") as name,
        installed(Path(name)) as (_, _, keys),
        servers(Path(name)) as server,
    ):
        measure(keys, server)


def measure(keys: list[str], server: int) -> None:
    slug = f'"article-" .. math.random(0, {LAST})'
    rows = {
        "GET article, 6 KB": rest(keys, f'"/v1/articles/" .. {slug}'),
        "get_article, 2026-07-28": tool(keys, "get_article", MODERN, slug),
        "get_article, 2025-11-25": tool(keys, "get_article", LEGACY, slug),
        "GET drafts": rest(keys, '"/v1/drafts"'),
        "list_drafts, 2026-07-28": tool(keys, "list_drafts", MODERN),
        "list_drafts, 2025-11-25": tool(keys, "list_drafts", LEGACY),
    }
    costs: dict[str, list[Cost]] = {name: [] for name in rows}
    # Rounds are interleaved, so that noise of the machine affects all rows alike.
    for _ in range(ROUNDS):
        for name, wrk in rows.items():
            costs[name].append(measure_cost(wrk, server))
    print(f"{'median of ' + str(ROUNDS) + ' rounds':28} {'per second':>10} {'CPU ms':>8} {'over REST':>10}")
    base = 0.0
    for name, runs in costs.items():
        per_second = statistics.median(run.per_second for run in runs)
        cost = statistics.median(run.milliseconds for run in runs)
        base = cost if name.startswith("GET") else base
        over = "" if name.startswith("GET") else f"{cost - base:+10.2f}"
        print(f"{name:28} {per_second:10.0f} {cost:8.2f} {over:>10}")


def measure_cost(run: Callable[[], float], server: int) -> Cost:
    before = processor_seconds(server)
    per_second = run()
    cpu_seconds = processor_seconds(server) - before
    return Cost(per_second, cpu_seconds / (per_second * SECONDS) * 1_000)


def rest(keys: list[str], path: str) -> Callable[[], float]:
    return wrk(f"{URL}/", script_with_keys(keys, f'wrk.format("GET", {path}, headers)'))


def tool(keys: list[str], name: str, version: str, slug: str | None = None) -> Callable[[], float]:
    """A call as clients of this protocol version send it; `slug` is Lua code for the article's slug."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": name, "arguments": {"id": "SLUG"} if slug else {}}
    arguments = params | ({"_meta": meta} if version == MODERN else {})
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": arguments})
    lua = "'" + body.replace("SLUG", f"' .. {slug} .. '" if slug else "") + "'"
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": version}
    headers |= {"Mcp-Method": "tools/call", "Mcp-Name": name} if version == MODERN else {}
    lua_headers = "".join(f'headers["{key}"] = "{value}" ' for key, value in headers.items())
    request = f'(function() {lua_headers} return wrk.format("POST", "/mcp/admin", headers, {lua}) end)()'
    return wrk(f"{URL}/", script_with_keys(keys, request))


def wrk(url: str, lua: str) -> Callable[[], float]:
    def run() -> float:
        figures = run_wrk(url, lua, SECONDS)
        assert not figures.failed, f"{figures.failed} calls were refused"
        return figures.per_second

    return run


if __name__ == "__main__":
    main()
