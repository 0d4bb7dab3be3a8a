"""`make bench-chat`: how long an answer without a model takes over HTTP, asked sequentially."""

import asyncio
import json
import statistics
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import psycopg

from bench.installation import INSERT, URL, servers
from bench.processes import processor_seconds
from instep.accounts.workspaces import actions
from instep.demo.help import read_help
from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.core.ids import new_id
from instep.platform.core.markdown import render
from instep.platform.migrations import migrate

# Each bot is asked as many questions as one address may ask within a minute.
BOTS = 8
COPIES = 12
VISITORS = 4


@dataclass(frozen=True, slots=True)
class TimedAnswer:
    """The duration of an answer, and whether the articles had one."""

    seconds: float
    is_answered: bool


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="instep-bench-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        with EmbeddedPostgres.attach(folder) as embedded:
            migrate(embedded.url)
            bots, questions = asyncio.run(prepare(embedded.url))
            with servers(folder) as server:
                measure(bots, questions, server)


async def prepare(url: str) -> tuple[list[tuple[UUID, str]], list[str]]:
    """Bots with copies of Instep's own help articles, and their titles as questions."""
    pages = [page for section in read_help() for page in section.pages]
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        tx = Tx(connection)
        workspace = await actions.find_workspace(tx, None)
        bots = [await actions.create_bot(tx, workspace.id, f"Bot {n}", None, "en") for n in range(BOTS)]
        for bot in bots:
            texts = [page.text for page in pages] * COPIES
            rows = [
                (new_id("art"), workspace.id, bot.id, n, n, n, text, render(text))
                for n, text in enumerate(texts)
            ]
            async with connection.cursor() as cursor:
                await cursor.executemany(INSERT, rows)
        await connection.execute("vacuum analyze articles")
    return [(bot.id, bot.bot_key) for bot in bots], [f"{page.title}: how?" for page in pages]


def measure(bots: list[tuple[UUID, str]], questions: list[str], server: int) -> None:
    for bot, key in bots:
        # The first question of a bot builds its index.
        ask(bot, key, questions[0], 0)
    before = processor_seconds(server)
    results = list(answers(bots, questions))
    cpu_seconds = processor_seconds(server) - before
    times = sorted(result.seconds * 1_000 for result in results)
    answered = sum(result.is_answered for result in results)
    print(f"{len(times)} questions to {len(bots)} bots, {answered} of them answered")
    print(f"p50 {statistics.median(times):.1f} ms, p99 {times[int(len(times) * 0.99)]:.1f} ms")
    print(f"CPU of the server: {cpu_seconds / len(times) * 1_000:.1f} ms per question")


def answers(bots: list[tuple[UUID, str]], questions: list[str]) -> Iterator[TimedAnswer]:
    questions_per_visitor = limits.VISITOR_ADDRESS_CALLS_PER_MINUTE // VISITORS - 1
    for bot, key in bots:
        for visitor in range(1, VISITORS + 1):
            for number in range(questions_per_visitor):
                index = (visitor * questions_per_visitor + number) % len(questions)
                yield ask(bot, key, questions[index], visitor)


def ask(bot: UUID, key: str, question: str, visitor: int) -> TimedAnswer:
    body = {"botId": str(bot), "botKey": key, "question": question, "visitor": f"visitor-{visitor}"}
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{URL}/chat", json.dumps(body).encode(), headers)
    start = time.perf_counter()
    with urllib.request.urlopen(request) as response:
        answer = json.load(response)
    return TimedAnswer(time.perf_counter() - start, answer["answered"])


if __name__ == "__main__":
    main()
