"""Pages and lists right after a large import, when PostgreSQL may have no statistics on the new rows."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from instep.platform.core import pipeline
from instep.platform.core.database import Database, Tx
from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.core.pipeline import SqlStatement
from tests.support.cast import Api, Company, create_company
from tests.support.commands import Operator
from tests.support.databases import create_database
from tests.support.synced_repository import Repository, page

NAME = "without_statistics"
ARTICLES, COLLECTIONS, TOP_COLLECTIONS = 1_000, 400, 12
# A join that reads a whole table for each row of another would read a thousand times as many rows.
MAX_ROWS = 200 * (ARTICLES + COLLECTIONS)
IMPORTED, SYNCED, OPENED = 1_000, 30, 20
# For all pages opened at once. Without statistics each takes 15 seconds and fails.
MAX_SECONDS = OPENED * 1
FILLED = (
    """
    insert into collections (id, workspace_id, bot_id, slug, title, visibility, sort_order, created_at,
        updated_at, parent_id)
    select 'col_' || n, %(workspace)s, %(bot)s, 'collection-' || n, 'Collection ' || n, 'public', n, now(),
        now(), case when n > %(top)s then 'col_' || (n - %(top)s) %% (%(top)s * 8) + 1 end
    from generate_series(1, %(collections)s) n
    """,
    """
    insert into articles (id, workspace_id, bot_id, slug, locale, title, position, content_markdown,
        content_html, collection_id, visibility, status, version, origin, author_type, author_name,
        text_changed_at, published_at, created_at, updated_at)
    select 'art_' || n, %(workspace)s, %(bot)s, 'article-' || n, 'en', 'Article ' || n, n, 'Words.',
        '<p>Words.</p>', 'col_' || n %% %(collections)s + 1, 'public', 'published', 1, 'create', 'person',
        'Ada', now(), now(), now(), now()
    from generate_series(1, %(articles)s) n
    """,
)
PAGES = (
    *(
        "/",
        "/collections/collection-30",
        "/articles/article-500",
        "/search?q=words",
        "/articles/article-1.md",
    ),
    *("/sitemap.xml", "/llms.txt", "/llms-full.txt"),
)
LISTS = ("collections", "collections/collection-30", "articles?limit=100", "articles/article-7", "redirects")


@pytest.fixture
def empty_url(cluster: EmbeddedPostgres) -> Iterator[str]:
    """The URL of a database whose tables PostgreSQL believes to be empty and never analyzes."""
    url = create_database(cluster, NAME)
    with psycopg.connect(url, autocommit=True) as owner:
        for table in ("articles", "collections"):
            owner.execute(f"alter table {table} set (autovacuum_enabled = false)".encode())
        owner.execute("vacuum analyze")
    yield url
    with psycopg.connect(make_conninfo(url, dbname="postgres"), autocommit=True) as owner:
        owner.execute(f"drop database {NAME} with (force)".encode())


@pytest.fixture
async def database(empty_url: str) -> AsyncIterator[Database]:
    opened = Database(empty_url, size=4)
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture
async def empty_company(empty_url: str) -> Company:
    async with await psycopg.AsyncConnection.connect(empty_url, autocommit=True) as owner:
        return await create_company(Tx(owner), "Acme")


@pytest.fixture
async def company(empty_company: Company, empty_url: str) -> Company:
    params = {"workspace": empty_company.workspace_id, "bot": empty_company.bot_id, "top": TOP_COLLECTIONS}
    async with await psycopg.AsyncConnection.connect(empty_url, autocommit=True) as owner:
        for sql in FILLED:
            await Tx(owner).execute(sql, **params, collections=COLLECTIONS, articles=ARTICLES)
    return empty_company


async def test_no_page_or_list_reads_far_more_rows_than_there_are(
    api: Api, company: Company, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements: list[SqlStatement] = []
    encode = pipeline.encode

    def noting(connection: pipeline.Connection, statement: SqlStatement) -> pipeline.EncodedStatement:
        statements.append(statement)
        return encode(connection, statement)

    monkeypatch.setattr(pipeline, "encode", noting)
    for path in (f"/help/{company.slug}{path}" for path in PAGES):
        assert (await api(None).get(path)).status_code == 200, path
    for path in LISTS:
        assert (await api(company.read_key).get(f"/v1/{path}")).status_code == 200, path
    monkeypatch.undo()

    selects = [item for item in statements if item.sql.lstrip().startswith(("select", "with"))]
    async with database.enter_workspace(company.workspace_id) as tx:
        rows = {item.sql: await count_rows(tx, item) for item in selects}
    assert len(rows) > len(PAGES)
    assert [(count, sql) for sql, count in rows.items() if count > MAX_ROWS] == []


async def test_an_import_ends_with_statistics_and_pages_that_open_at_once(
    api: Api, empty_company: Company, empty_url: str, tmp_path: Path
) -> None:
    """The import has the rights of a request, which does not own the tables."""
    for number in range(IMPORTED):
        file = tmp_path / f"docs/part-{number % 20}/section-{number % 80}/page-{number}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# Page {number}\n\nWords of page {number}.\n")
    bot = ("--workspace", empty_company.workspace_id, "--bot", empty_company.slug)

    report = await Operator(empty_url).json("import", str(tmp_path / "docs"), *bot)

    assert report["pages"]["created"] == IMPORTED
    assert planned_rows(empty_url) >= IMPORTED
    visitor = api(None)
    addresses = [f"/help/{empty_company.slug}/articles/page-{number}" for number in range(IMPORTED)]
    async with asyncio.timeout(MAX_SECONDS):
        pages = await asyncio.gather(*map(visitor.get, addresses[:: IMPORTED // OPENED]))
    assert [page.status_code for page in pages] == [200] * OPENED


async def test_a_sync_ends_with_statistics(api: Api, empty_company: Company, empty_url: str) -> None:
    repository = Repository(api(empty_company.write_key))
    for number in range(SYNCED):
        repository.write(f"page-{number}.md", page(f"Page {number}"))

    await repository.sync()

    assert planned_rows(empty_url) == SYNCED


def planned_rows(url: str) -> float:
    """The number of articles that PostgreSQL's planner assumes."""
    with psycopg.connect(url) as owner:
        [count] = owner.execute(
            "select reltuples from pg_class where oid = 'articles'::regclass"
        ).fetchone() or [0]
    return float(count)


async def count_rows(tx: Tx, statement: SqlStatement) -> float:
    """The rows that PostgreSQL reads for a statement, in all steps of its plan."""
    [plan] = await tx.value(f"explain (analyze, format json) {statement.sql}", **statement.params)
    return rows_of(plan["Plan"])


def rows_of(node: dict[str, Any]) -> float:
    removed = sum(value for name, value in node.items() if name.startswith("Rows Removed"))
    rows: float = (node["Actual Rows"] + removed) * node["Actual Loops"]
    return rows + sum(map(rows_of, node.get("Plans", ())))
