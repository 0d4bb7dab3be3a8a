"""A restored installation equals the backup, repeats no action, and overwrites no one's rows."""

import asyncio
import json
from pathlib import Path

import psycopg
import pytest
from fastapi import FastAPI
from psycopg import sql

from instep.accounts.people.invitations import invite
from instep.content.files.storage import open_storages
from instep.operations.backups.restoring import CONTINUED_JOBS
from instep.operations.backups.tables import LEFT_OUT, list_tables
from instep.platform.core.config import settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.identity.scopes import Role
from instep.platform.migrations import is_being_restored, migrate, revision_at
from instep.runtime import worker_of
from instep.visitors.subscriptions.actions import request_subscription
from instep.visitors.subscriptions.schemas import Topic
from tests.operations.backups.conftest import BackUp
from tests.support.alert_targets import add_target
from tests.support.articles import acting
from tests.support.cast import Api, Cast, Client
from tests.support.commands import Operator, run_command
from tests.support.http import body_of, create_article, ok
from tests.support.installation import new_folder
from tests.support.migrations import NEXT_REVISION, add_migration
from tests.support.questions import ask
from tests.support.uploads import open_file, show_in_article, upload
from tests.support.visitors import leave
from tests.support.webhook_endpoints import create_webhook
from tests.support.wording import like

ENDED = like("…restored from a backup…")
DELIVERIES = "select distinct status, attempts -> -1 ->> 'error' from deliveries"
JOBS = "select kind, payload ->> 'task' from jobs where attempts = 0"
LAST_AUDIT_NUMBER = "select last_value from pg_sequences where sequencename like 'audit_entries%%'"
FIRST_NEW_AUDIT_NUMBER = "select min(id) from audit_entries where action = 'restore_backup'"
# Tables that a restore changes on purpose.
CHANGED = {"audit_entries", "deliveries", "jobs", "subscriptions", "webhook_endpoints"}


def digests(url: str, only: set[str] | None = None) -> dict[str, tuple[int, str]]:
    """The number of rows and a digest of them in a fixed order, for each backed-up table."""
    with psycopg.connect(url) as connection:
        names = [
            name
            for (name,) in connection.execute(
                "select tablename::text from pg_tables where schemaname = 'public' order by 1"
            )
            if name not in LEFT_OUT and (only is None or name in only)
        ]
        return {name: digest_of(connection, name) for name in names}


def digest_of(connection: psycopg.Connection, table: str) -> tuple[int, str]:
    statement = sql.SQL(
        "select count(*)::int, md5(coalesce(string_agg(row, ' ' order by row collate \"C\"), '')) "
        "from (select t::text as row from {} as t) as rows"
    )
    row = connection.execute(statement.format(sql.Identifier(table))).fetchone()
    assert row is not None
    count, digest = row
    return count, digest


@pytest.fixture
async def filled(api: Api, cast: Cast, database: Database, client: Client) -> None:
    """Add some of everything that people and visitors create."""
    await create_webhook(client, events=["*"])
    await add_target(database, cast.acme)
    file = await upload(client)
    await show_in_article(client, file, "Install")
    await ok_patch(client, "install")
    await create_article(
        client, "Quotes \\ and\ttabs", contentMarkdown='Lines\nand "quotes", \\N and ünïcödé 中'
    )
    await ask(api(None), cast.acme, "Where is my invoice?")
    await leave(api(None), cast.acme, email="ann@example.com")
    async with acting(database, cast.acme) as ctx:
        await request_subscription(ctx, Topic(""), "ann@example.com", "en", "192.0.2.1")


async def ok_patch(client: Client, article: str) -> None:
    ok(await client.patch(f"/v1/articles/{article}", json={"description": "How to begin"}))


async def test_restored_rows_are_the_same_and_no_action_is_repeated(
    filled: None,
    client: Client,
    back_up: BackUp,
    elsewhere: Operator,
    database_url: str,
    empty_url: str,
    owner: Tx,
    cast: Cast,
) -> None:
    task = body_of(await client.post("/v1/tasks", json={"change": {"kind": "pr", "title": "Rename it"}}))
    await invite(owner, cast.acme.workspace_id, "new@example.com", Role.VIEWER)
    await owner.execute("delete from audit_entries where id = (select max(id) from audit_entries)")
    waiting = await owner.value("select count(*) from deliveries where status = 'pending'")
    last_number = await owner.value(LAST_AUDIT_NUMBER)
    before = digests(database_url)
    file = await back_up()

    printed = await elsewhere.json("restore", str(file), INSTEP_SECRET_KEY="x" * 32)

    after = digests(empty_url)
    assert {name for name in before if before[name] != after[name]} <= CHANGED
    assert before.keys() == after.keys()
    assert min(before[name][0] for name in ("articles", "files", "object_chunks", "leads", "events")) >= 1
    assert (printed["tables"], printed["rows"]) == (len(before), sum(count for count, _ in before.values()))
    assert schema_of(empty_url) == schema_of(database_url)
    assert printed["unreadableSecrets"] >= 1
    assert (printed["endedDeliveries"], waiting > 0) == (waiting, True)
    assert printed["droppedMessages"] >= 1
    with psycopg.connect(empty_url) as connection:
        [delivery] = connection.execute(DELIVERIES).fetchall()
        assert delivery == ("failed", ENDED)
        assert connection.execute(JOBS).fetchall() == [("run_task", task["id"])]
        # Nothing older than the restore counts as news, and links that may have been used are invalid.
        news = "select notified_at > requested_at, token_hash from subscriptions"
        assert set(connection.execute(news).fetchall()) == {(True, None)}
        [first_number] = connection.execute(FIRST_NEW_AUDIT_NUMBER).fetchall()[0]
        assert first_number > last_number
        for table in ("sessions", "invitations", "setup_links", "oauth_tokens", "oauth_grants"):
            assert connection.execute(sql.SQL("select from {}").format(sql.Identifier(table))).rowcount == 0


def schema_of(url: str) -> list[str]:
    """Constraints and triggers, which a restore drops temporarily."""
    facts = """
        select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
        where connamespace = 'public'::regnamespace
        union all select concat_ws(' ', tgrelid::regclass, tgname, tgenabled) from pg_trigger
        where not tgisinternal
        order by 1
    """
    with psycopg.connect(url) as connection:
        return [fact for (fact,) in connection.execute(facts.encode())]


@pytest.mark.backups
async def test_an_installation_that_nobody_has_used_is_empty(
    filled: None, back_up: BackUp, elsewhere: Operator, empty_url: str, database_url: str
) -> None:
    migrate(empty_url)

    await elsewhere.json("restore", str(await back_up()))

    assert digests(empty_url, {"workspaces", "articles"}) == digests(database_url, {"workspaces", "articles"})


async def test_an_installation_with_rows_is_left_alone(
    filled: None, back_up: BackUp, elsewhere: Operator, empty_url: str
) -> None:
    await elsewhere.text("bot", "create", "Acme")
    before = digests(empty_url)

    refusal = await elsewhere.refused("restore", str(await back_up()))

    assert "not empty" in refusal
    assert "bots" in refusal
    assert digests(empty_url) == before


async def test_a_database_with_other_tables_is_left_alone(
    back_up: BackUp, elsewhere: Operator, empty_url: str
) -> None:
    with psycopg.connect(empty_url) as connection:
        connection.execute("create table orders (id integer)")

    refusal = await elsewhere.refused("restore", str(await back_up()))

    assert "not Instep's (orders)" in refusal


async def test_restoring_is_refused_while_servers_run(
    back_up: BackUp, elsewhere: Operator, empty_url: str
) -> None:
    file = await back_up()
    migrate(empty_url)
    with psycopg.connect(empty_url, application_name="instep"):
        refusal = await elsewhere.refused("restore", str(file))

    assert "every server" in refusal


@pytest.mark.backups
async def test_a_restore_that_breaks_off_keeps_servers_away_and_can_be_repeated(
    filled: None, back_up: BackUp, elsewhere: Operator, empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = await back_up()

    def break_off(*_: object) -> None:
        raise psycopg.errors.DiskFull("no space left on device")

    with monkeypatch.context() as broken:
        broken.setattr("instep.operations.backups.restoring.load_tables", break_off)
        refusal = await elsewhere.refused("restore", str(file))
    assert "same command" in refusal
    assert is_being_restored(empty_url)
    assert "run `instep restore` again" in await elsewhere.refused("bot", "list")

    await elsewhere.json("restore", str(file))

    assert not is_being_restored(empty_url)
    assert "bots" in (await elsewhere.run("doctor", "--json")).out


@pytest.mark.backups
async def test_a_backup_of_an_earlier_version_is_brought_up_to_date(
    empty_url: str, elsewhere: Operator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The schema is first that of the backup, so that its rows fit."""
    earlier = migrate(empty_url)
    with psycopg.connect(empty_url) as connection:
        connection.execute("update workspaces set name = 'Of old'")
        connection.execute(
            "insert into bots (id, workspace_id, slug, name, bot_key, locale) "
            "select gen_random_uuid(), id, 'old', 'Old', 'bot_old', 'en' from workspaces"
        )
    file = tmp_path / "old.zip"
    await elsewhere.json("backup", str(file))
    with psycopg.connect(empty_url) as connection:
        connection.execute("drop schema public cascade")
        connection.execute("create schema public")

    add_migration(monkeypatch, tmp_path, "alter table bots drop column name")
    printed = await elsewhere.json("restore", str(file))

    assert printed["revision"] == earlier
    assert revision_at(empty_url) == NEXT_REVISION
    with psycopg.connect(empty_url) as connection:
        assert connection.execute("select slug from bots").fetchall() == [("old",)]


@pytest.mark.backups
async def test_the_owner_of_the_database_need_not_be_a_superuser(
    filled: None, back_up: BackUp, elsewhere: Operator, empty_url: str, database_url: str, tmp_path: Path
) -> None:
    with psycopg.connect(empty_url, autocommit=True) as connection:
        database = connection.info.dbname
        role = sql.Identifier(f"{database}_owner")
        connection.execute(sql.SQL("create role {} login createrole").format(role))
        connection.execute(sql.SQL("grant instep_app to {} with admin option").format(role))
        connection.execute(sql.SQL("alter database {} owner to {}").format(sql.Identifier(database), role))
    url = psycopg.conninfo.make_conninfo(empty_url, user=f"{database}_owner")
    plain = Operator(url, INSTEP_DATA_DIR=str(tmp_path / "plain"))

    await plain.json("restore", str(await back_up()))
    await plain.json("backup", str(tmp_path / "again.zip"))

    assert digests(empty_url, {"articles", "files"}) == digests(database_url, {"articles", "files"})
    with psycopg.connect(empty_url, autocommit=True) as connection:
        connection.execute(
            sql.SQL("alter database {} owner to current_user").format(sql.Identifier(database))
        )
        connection.execute(sql.SQL("drop owned by {} cascade").format(role))
        connection.execute(sql.SQL("drop role {}").format(role))


@pytest.mark.backups
async def test_into_a_new_data_folder_with_the_embedded_postgresql(filled: None, back_up: BackUp) -> None:
    file = await back_up()
    with new_folder() as folder:
        data_dir = {"INSTEP_DATA_DIR": str(folder / "data")}
        restored = await asyncio.to_thread(run_command, "restore", str(file), "--json", **data_dir)
        report = await asyncio.to_thread(run_command, "doctor", "--json", **data_dir)

    assert restored.json["rows"] > 0
    assert json.loads(report.out)["counts"]["bots"] >= 1


def forget_files(url: str) -> None:
    """Delete files, which backups of other tests do not need."""
    with psycopg.connect(url) as connection:
        connection.execute("delete from files")
        connection.execute("delete from stored_objects")


@pytest.mark.backups
async def test_files_in_a_folder_come_back_where_new_files_go(
    app: FastAPI,
    client: Client,
    operator: Operator,
    elsewhere: Operator,
    database: Database,
    database_url: str,
    empty_url: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    there = f"file://{tmp_path}/files"
    request.addfinalizer(lambda: forget_files(database_url))
    app.state.storages = open_storages(settings().model_copy(update={"files": there}), database)
    file = await upload(client)
    await show_in_article(client, file)
    content = (await open_file(app, file)).content
    backup = tmp_path / "with-files.zip"
    assert "set INSTEP_FILES to it" in await operator.refused("backup", str(backup))
    made = await operator.json("backup", str(backup), INSTEP_FILES=there)

    in_folder = f"file://{tmp_path}/restored"
    await elsewhere.json("restore", str(backup), INSTEP_FILES=in_folder)

    assert made["files"] >= 1
    stored = {path.read_bytes() for path in Path(f"{tmp_path}/restored").rglob("obj_*")}
    assert content in stored
    with psycopg.connect(empty_url) as connection:
        connection.execute("drop schema public cascade")
        connection.execute("create schema public")
    await elsewhere.json("restore", str(backup))
    with psycopg.connect(empty_url) as connection:
        chunks = connection.execute("select data from object_chunks").fetchall()
    assert content in {bytes(data) for (data,) in chunks}


def test_every_kind_of_job_is_either_continued_or_dropped(database: Database) -> None:
    """A new kind belongs either here or in `CONTINUED_JOBS`."""
    told_outside = {"send_alert", "send_email", "send_reset_link", "send_review_digest"}
    scheduled_at_every_start = {
        *("back_up", "check_domains", "embed_articles", "prune", "render_texts", "store_indexes"),
        "sweep_files",
        # The marks are in the database, and the next backup writes them again.
        "keep_erasures",
        *("announce_due", "send_digests", "send_news"),
        # The search for due polls gives each repository its job again.
        *("poll_repositories", "poll_repository"),
    }
    kinds = set(worker_of(database, OutboundClient(settings().allow_list))._handlers)

    assert kinds == {*CONTINUED_JOBS, *told_outside, *scheduled_at_every_start}


def test_every_table_that_is_left_out_exists(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        names = {table.name for table in list_tables(connection)}

    assert set(LEFT_OUT) <= names
    assert all(reason.strip() for reason in LEFT_OUT.values())
