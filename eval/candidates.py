"""Scores which articles of a large help center the writer reads: `python -m eval.candidates FOLDER`.

The articles of each product are mixed with those of all others, at several times of their histories, and
changes of the product look for what to read. Printed as JSON, for articles that people modified:

- `modified`: their number; `kept`: the share of them among the articles that are read;
- `drafts`: the drafts that the writer makes when it reads all of them, which `--whole` asks for;
  `same`: those that it makes with the same text of what it reads; `more`: drafts that only then are made.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from psycopg import AsyncConnection

from eval.docsync_set import is_set, products_of, scorer_of
from eval.retrieval.center import INSERT
from instep.accounts.workspaces import actions
from instep.drafting.tasks.candidates import candidate_query, find_articles
from instep.drafting.writer import Article, Change, Report, write
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.core.ids import new_id
from instep.platform.identity.schemas import Actor, Bot, Ctx
from instep.platform.migrations import migrate

SNAPSHOTS = 8
READER = Actor("command", "eval", can_write=False)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--products", help="all by default")
    parser.add_argument("--articles", type=int, default=8_000)
    parser.add_argument("--limit", type=int, default=limits.MAX_WRITER_ARTICLES)
    parser.add_argument("--cases", type=int, default=10)
    parser.add_argument("--whole", action="store_true")
    options = parser.parse_args(arguments)
    if not is_set(options.folder):
        print(f"The evaluation set is missing in `{options.folder}`. Name its folder.", file=sys.stderr)
        return 2
    figures = asyncio.run(measure(options))
    total = sum(figures.values(), Counter[str]())
    print(json.dumps({**shares(total), "by_product": {name: shares(row) for name, row in figures.items()}}))
    return 0


def shares(counts: "Counter[str]") -> dict[str, Any]:
    kept = round(counts["kept"] / counts["modified"], 4) if counts["modified"] else None
    return {**counts, "kept": kept}


async def measure(options: argparse.Namespace) -> dict[str, "Counter[str]"]:
    limits.MAX_WRITER_ARTICLES = options.limit
    scorer = scorer_of(options.folder)
    products = options.products.split(",") if options.products else products_of(options.folder)
    figures: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory(prefix="instep-eval-") as name:
        Path(name).chmod(0o711)
        with EmbeddedPostgres.attach(Path(name)) as embedded:
            migrate(embedded.url)
            database = Database(embedded.url, size=1)
            await database.open()
            async with await AsyncConnection.connect(embedded.url, autocommit=True) as connection:
                for product in products:
                    cases = list(scorer.load(str(options.folder), products=[product]))
                    cases = [case for case in cases if case.gold["modified"]]
                    others = islice(other_articles(scorer, options.folder, product), options.articles)
                    center = HelpCenter(connection, await new_bot(connection, product))
                    await center.fill({article.id: article for article in others})
                    figures[product] = Counter()
                    print(f"{product} among {len(center.articles)} others", file=sys.stderr)
                    for case in cases[:: max(1, len(cases) // options.cases)][: options.cases]:
                        figures[product] += await count(database, center, case, is_whole=options.whole)
            await database.close()
    return figures


def other_articles(scorer: Any, folder: Path, product: str) -> Iterator[Article]:
    """The articles of the other products, at the beginning, the end and between; no text twice."""
    others = [name for name in products_of(folder) if name != product]
    texts: set[str] = set()
    histories = {name: list(scorer.load(str(folder), products=[name])) for name in others}
    for snapshot in range(SNAPSHOTS):
        for name, cases in histories.items():
            case = cases[-1 - snapshot * (len(cases) - 1) // (SNAPSHOTS - 1)]
            for path, article in case.articles.items():
                if article.text not in texts:
                    texts.add(article.text)
                    yield Article(f"{name} {snapshot} {path}", article.title, article.text)


async def new_bot(connection: AsyncConnection[Any], name: str) -> Bot:
    workspace = await actions.create_workspace(Tx(connection), name)
    bot = await actions.create_bot(Tx(connection), workspace.id, name, None, "en")
    return Bot(bot.id, workspace.id, bot.slug, name, "en")


class HelpCenter:
    """A bot whose articles are written directly to the database, because their pages are not read."""

    def __init__(self, connection: AsyncConnection[Any], bot: Bot) -> None:
        self.connection = connection
        self.bot = bot
        self.articles: dict[str, Article] = {}
        # By the ids that the database has.
        self.names: dict[str, str] = {}

    async def fill(self, articles: Mapping[str, Article]) -> None:
        """Add these articles; one with another text replaces the former one with its id."""
        new = {name: article for name, article in articles.items() if self.articles.get(name) != article}
        await self.remove([name for name in new if name in self.articles])
        names = {new_id("art"): name for name in new}
        rows = [
            {
                "id": article_id,
                "workspace": self.bot.workspace_id,
                "bot": self.bot.id,
                "title": new[name].title[: limits.MAX_TITLE_CHARACTERS],
                "description": None,
                "position": 0,
                "markdown": new[name].text,
                "locale": "en",
                "html": "<p></p>",
            }
            for article_id, name in names.items()
        ]
        async with self.connection.cursor() as cursor, self.connection.transaction():
            await cursor.executemany(INSERT, rows)
        self.names |= names
        self.articles |= new

    async def remove(self, names: list[str]) -> None:
        ids = [article_id for article_id, name in self.names.items() if name in set(names)]
        await self.connection.execute(
            "update articles set deleted_at = stamp_change(bot_id) where id = any(%s)", [ids]
        )
        for article_id in ids:
            del self.articles[self.names.pop(article_id)]


async def count(database: Database, center: HelpCenter, case: Any, *, is_whole: bool) -> "Counter[str]":
    articles = {path: Article(path, article.title, article.text) for path, article in case.articles.items()}
    await center.remove([name for name in center.articles if " " not in name and name not in articles])
    await center.fill(articles)
    change = Change(case.title, None, case.diff)
    names = await names_to_read(database, center, change)
    modified = case.gold["modified"].keys() & articles.keys()
    counts = Counter(modified=len(modified), kept=len(modified & names))
    if is_whole:
        every = sorted(center.articles)
        whole = drafts_of(write(change, [center.articles[name] for name in every]))
        some = drafts_of(write(change, [center.articles[name] for name in every if name in names]))
        counts["drafts"] = len(whole)
        counts["same"] = sum(some.get(name) == text for name, text in whole.items())
        counts["more"] = len(some.keys() - whole.keys())
    print(case.id, dict(counts), file=sys.stderr)
    return counts


async def names_to_read(database: Database, center: HelpCenter, change: Change) -> set[str]:
    query = candidate_query(change)
    async with database.enter_workspace(center.bot.workspace_id) as tx:
        ctx = Ctx(tx, center.bot, READER, utc_now())
        return {center.names[article_id] for article_id in await find_articles(ctx, query, None)}


def drafts_of(report: Report) -> dict[str, str]:
    """The texts of drafts by article, or by title for new articles."""
    return {draft.article_id or f"new: {draft.title}": draft.text for draft in report.proposals}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
