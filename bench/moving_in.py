"""`make bench-memory`, too: the memory of `instep serve` through an import, tasks, searches and questions.

It runs jobs and the embedding model, as it does for a user who sets nothing. Its child processes and
PostgreSQL are counted apart.
"""

import argparse
import asyncio
import io
import json
import os
import tempfile
import time
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg

from bench.installation import PORT, PROGRAM, UNLIMITED, URL, running
from bench.processes import descendants_of, name_of, proportional_bytes, resident_bytes
from instep.accounts.workspaces import actions
from instep.content.files.storage import DatabaseStorage
from instep.demo.help import read_help
from instep.platform.core.database import Database, Tx
from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.identity.job_context import job_context
from instep.platform.identity.schemas import Actor
from instep.platform.identity.scopes import Scope
from instep.platform.migrations import migrate
from instep.transfer.imports.actions import confirm_import, upload_import

PAGES, TASKS, QUERIES = 500, 100, 1_000
IDLE_SECONDS = 30
WAIT_SECONDS = 3_600
ACTOR = Actor("command", "bench", can_write=True)
# One address may ask only so often.
ADDRESSES = 50
VECTORS_MADE = """
    select bool_and(v.is_complete and v.seen >= b.changed_at)
    from bots b left join bot_vectors v on v.bot_id = b.id
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--tasks", type=int, default=TASKS)
    parser.add_argument("--queries", type=int, default=QUERIES, help="searches, and as many questions")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="instep-bench-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        variables = {
            "INSTEP_DATA_DIR": name,
            "INSTEP_REQUESTS_PER_MINUTE": UNLIMITED,
            "INSTEP_TASKS_PER_HOUR": UNLIMITED,
            "INSTEP_TRUSTED_PROXIES": "127.0.0.1",
        }
        with EmbeddedPostgres.attach(folder) as embedded:
            migrate(embedded.url)
            command = [PROGRAM, "serve", "--port", str(PORT)]
            with running(command, variables, f"{URL}/readyz") as server:
                asyncio.run(measure(embedded.url, server, options))


async def measure(url: str, server: int, options: argparse.Namespace) -> None:
    print(f"{'':30} {'serve MB':>9} {'peak':>6} {'children':>9} {'PostgreSQL':>11}")
    show("started", server)
    database = Database(url, size=2)
    await database.open()
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as owner:
        workspace = await actions.find_workspace(Tx(owner), None)
        bot = await actions.create_bot(Tx(owner), workspace.id, "Bench", None, "en")
        key = await actions.create_key(Tx(owner), workspace.id, "bench", Scope.WRITE, [bot.id])
        payload = {"workspace": workspace.id, "bot": str(bot.id)}
        await move_in(database, payload, owner, options.pages)
        show(f"{options.pages} pages imported", server)
        await until(owner, VECTORS_MADE)
        show("vectors made", server)
        for number in range(options.tasks):
            await asyncio.to_thread(send_change, key.key, number, options.pages)
        await until(owner, "select bool_and(status in ('completed', 'failed')) from tasks")
        show(f"{options.tasks} tasks", server)
        titles = [page.title for section in read_help() for page in section.pages]
        await asyncio.to_thread(search_and_ask, bot.id, bot.bot_key, key.key, titles, options.queries)
        show(f"{options.queries} searches, questions", server)
    await database.close()
    await asyncio.sleep(IDLE_SECONDS)
    show(f"idle for {IDLE_SECONDS} s", server)


async def move_in(
    database: Database, payload: dict[str, str], owner: psycopg.AsyncConnection, count: int
) -> None:
    """Import an archive as the dashboard does: a job of the server reads it, and then another imports it."""
    async with job_context(database, payload, ACTOR) as ctx, ctx.tx.transaction():
        row = await upload_import(ctx, DatabaseStorage(database), "help.zip", archive(count), None)
    await until(owner, "select bool_and(state <> 'reading') from imports")
    async with job_context(database, payload, ACTOR) as ctx, ctx.tx.transaction():
        await confirm_import(ctx, row.id)
    await until(owner, "select bool_and(state <> 'importing') from imports")


def archive(count: int) -> bytes:
    """Instep's own help pages again and again, each with a setting of its own that a change can name."""
    pages = [(section.about.slug, page) for section in read_help() for page in section.pages]
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        for number in range(count):
            section, page = pages[number % len(pages)]
            file.writestr(
                f"help/edition-{number // len(pages)}/{section}/{page.slug}-{number}.md",
                f"---\ntitle: {json.dumps(f'{page.title} {number}')}\n---\n{page.text}\n## Limit\n\n"
                f"`widget_limit_{number}` is 10 by default.\n",
            )
    return content.getvalue()


def send_change(key: str, number: int, pages: int) -> None:
    name = f"widget_limit_{number * 7 % pages}"
    diff = f"--- a/config.py\n+++ b/config.py\n@@ -1 +1 @@\n-{name} = 10\n+{name} = {25 + number}\n"
    change = {"kind": "commit", "title": f"Raise {name}", "url": f"https://git.example.com/{number}"}
    post(
        f"{URL}/v1/tasks",
        {"change": change | {"diff": diff}},
        Authorization=f"Bearer {key}",
    )


def search_and_ask(bot: UUID, bot_key: str, key: str, titles: list[str], count: int) -> None:
    for number in range(count):
        question = f"{titles[number % len(titles)]}: how does widget {number} work?"
        query = urllib.parse.quote(question)
        headers = {"Authorization": f"Bearer {key}"}
        fetch(urllib.request.Request(f"{URL}/v1/articles/search?q={query}", headers=headers))
        body = {"botId": str(bot), "botKey": bot_key, "question": question, "visitor": f"visitor-{number}"}
        post(f"{URL}/chat", body, **{"X-Forwarded-For": f"192.0.2.{number % ADDRESSES}"})


def post(url: str, body: dict[str, Any], **headers: str) -> None:
    headers["Content-Type"] = "application/json"
    fetch(urllib.request.Request(url, json.dumps(body).encode(), headers))


def fetch(request: urllib.request.Request) -> None:
    with urllib.request.urlopen(request) as response:
        response.read()


async def until(owner: psycopg.AsyncConnection, question: str) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        [is_true] = await (await owner.execute(question.encode())).fetchone() or [None]
        if is_true:
            return
        if time.monotonic() > deadline:
            raise TimeoutError(question)
        await asyncio.sleep(0.5)


def show(moment: str, server: int) -> None:
    resident, peak = resident_bytes(server)
    databases = [pid for pid in descendants_of(os.getpid()) if name_of(pid) == "postgres"]
    children = set(descendants_of(server)).difference(databases)
    figures = (
        resident,
        peak,
        sum(map(proportional_bytes, children)),
        sum(map(proportional_bytes, databases)),
    )
    megabytes = [round(figure / 1024**2) for figure in figures]
    print("{:30} {:9} {:6} {:9} {:11}".format(moment, *megabytes), flush=True)


if __name__ == "__main__":
    main()
