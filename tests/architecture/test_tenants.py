"""PostgreSQL itself separates companies: row-level security covers conditions that a query forgets."""

import re
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from fastapi import FastAPI

import instep
from instep.accounts.people.actions import sign_in
from instep.accounts.people.first_person import new_sign_in_link
from instep.accounts.people.invitations import invite
from instep.accounts.people.schemas import Attempt
from instep.accounts.workspaces.actions import pause_workspace
from instep.accounts.workspaces.deletion import delete_workspace
from instep.content.articles.bulk import BulkChange, change_articles
from instep.drafting.drafts.assignment_rules import add_label_rule
from instep.drafting.drafts.digest import note_sent
from instep.drafting.drafts.previews import create_preview
from instep.platform.core.database import Database, Tx
from instep.platform.core.database_connections import OPTIONS
from instep.platform.core.errors import InvalidRequest
from instep.platform.email.undelivered import note_delivery
from instep.platform.identity.scopes import Role
from instep.platform.web.visitors.cors import note_refused_origin
from instep.transfer.api_references.actions import follow_api_description
from instep.transfer.repositories.host_people import name_host_member
from instep.visitors.privacy.erasure_marks import mark_erasure
from instep.visitors.subscriptions.actions import request_subscription
from instep.visitors.subscriptions.schemas import Topic
from tests.support import questions
from tests.support.alert_targets import add_target
from tests.support.articles import acting
from tests.support.bringing import Importer
from tests.support.browsing import read_and_search
from tests.support.budgets import leave_work, spend
from tests.support.cast import Api, Cast, Client
from tests.support.connected_repositories import store_repository
from tests.support.drafts import hold_back_statement, look_at
from tests.support.golden_questions import keep, lose_a_name
from tests.support.import_sources import page, tree
from tests.support.issuers import trust_somebody
from tests.support.oauth import connect_somebody
from tests.support.places import find_places, new_place
from tests.support.search import store_index, store_vector
from tests.support.second_factors import add_second_factors
from tests.support.setting_models import give_model
from tests.support.sign_in import PASSWORD, SIGNING_KEY, fresh_email, sign_up
from tests.support.synced_repository import Repository
from tests.support.synced_repository import page as page_text
from tests.support.unanswered import ask
from tests.support.uploads import show_in_article, upload
from tests.support.visitor_tokens import secret_of
from tests.support.visitors import begin, leave, rate

# Tables of no company: workers take all jobs, rate limits apply before the caller is known, challenges are
# answered before sign-in, AI clients register before anyone signs in, and backups contain all companies.
SHARED = {"alembic_version", "backup_runs", "challenges", "jobs", "oauth_clients", "rate_windows"}
OUT_OF_REACH = {"challenges", "rate_windows"}
# Tables of people, who may be in several workspaces, and the column that refers to the person.
OF_PEOPLE = {
    "people": "id",
    "totp_secrets": "person_id",
    "recovery_codes": "person_id",
    "passkeys": "person_id",
    "provider_accounts": "person_id",
}


@pytest.fixture
async def app_tx(database_url: str) -> AsyncIterator[Tx]:
    """A session with the application's rights that has not entered a company."""
    async with await psycopg.AsyncConnection.connect(
        database_url, autocommit=True, options=OPTIONS
    ) as connection:
        yield Tx(connection)


@pytest.fixture
async def rows(app: FastAPI, api: Api, cast: Cast, database: Database, owner: Tx) -> list[str]:
    """Create a row of Acme in every table and return the tables' names."""
    client = api(cast.acme.write_key)
    await client.post("/v1/collections", json={"title": "First steps"})
    body = {"title": "Install", "contentMarkdown": "Run it."}
    await client.post("/v1/articles", json=body)
    await client.patch("/v1/articles/install", json={"contentMarkdown": "Go.", "slug": "begin"})
    article = (await client.post("/v1/articles/begin/publish")).json()
    await keep(database, cast, article)
    await lose_a_name(database, cast, article["id"])
    draft = (await client.post("/v1/articles/begin/drafts", json={"contentMarkdown": "Stop."})).json()
    await hold_back_statement(cast.acme, database, article["id"])
    await find_places(client, database, cast.acme, new_place(article["id"]))
    await client.post("/v1/redirects", json={"from": "/old", "articleId": "begin"})
    await client.post("/v1/parts", json={"name": "note", "text": "Words."})
    await client.post("/v1/product-versions", json={"slug": "1.x"})
    await client.patch("/v1/style", json={"avoidWords": ["simply"]})
    await client.patch("/v1/synonyms", json={"groups": [["cart", "basket"]]})
    await client.post("/v1/changelog/entries", json=body)
    await show_in_article(client, await upload(client))
    folder = Repository(client, {"synced.md": page_text("Synced")})
    await folder.sync()
    change = {"change": {"kind": "pr", "title": "Rename it"}}
    await client.post("/v1/tasks", json=change, headers={"Idempotency-Key": "deploy-1"})
    endpoint = {"url": "https://example.com/hooks", "events": ["*"]}
    webhook = (await client.post("/v1/webhooks", json=endpoint)).json()["id"]
    await client.post(f"/v1/webhooks/{webhook}/test")
    await ask(database, cast.acme, "How do I install it?")
    await begin(database, cast.acme)
    await questions.ask(client, cast.acme, "How do I begin?")
    await secret_of(owner, cast.acme)
    await leave(client, cast.acme)
    await rate(client, cast.acme, article)
    await read_and_search(database, cast.acme, article)
    await add_target(database, cast.acme)
    await give_model(database, cast.acme)
    repository_id = await store_repository(database, cast.acme)
    await spend(database, cast.acme)
    await leave_work(database, cast.acme)
    await store_index(database, cast.acme)
    await store_vector(database, cast.acme, article["id"])
    user = await sign_up(owner, cast.acme.workspace_id)
    await sign_in(database, SIGNING_KEY, Attempt(user.email, PASSWORD, address=user.email))
    await add_second_factors(owner, user)
    await connect_somebody(app, owner, cast.acme)
    await trust_somebody(owner, cast.acme)
    await invite(owner, cast.acme.workspace_id, fresh_email(), Role.VIEWER)
    await new_sign_in_link(owner, cast.acme.workspace_id, user.id)
    await look_at(database, cast.acme, user, draft["id"])
    await client.post(f"/v1/comments?subject={draft['id']}", json={"body": f"@{user.email} Is it so?"})
    await client.patch(f"/v1/drafts/{draft['id']}", json={"contentMarkdown": "Stop it."})
    await note_delivery(database, cast.acme.workspace_id, "canary@example.com", "550 Unknown")
    await mark_erasure(owner, str(cast.acme.workspace_id), "canary@example.com", [])
    await Importer(database, cast.acme).bring(tree(page("a.md")))
    async with acting(database, cast.acme) as ctx:
        await create_preview(ctx, draft["id"])
        await name_host_member(ctx, repository_id, "octocat", user.id)
        await change_articles(ctx, [article["id"]], BulkChange("visibility", "authenticated"))
        await note_sent(ctx)
        await request_subscription(ctx, Topic(""), "ann@reader.example", "en", "192.0.2.1")
        await add_label_rule(ctx, "internal")
        await follow_api_description(ctx, "https://api.example.com/openapi.json")
        await note_refused_origin(ctx.tx, ctx.bot, "https://elsewhere.test")
    return [
        *(
            "workspaces",
            "bots",
            "api_keys",
            "collections",
            "articles",
            "former_slugs",
            "revisions",
            "redirects",
            *("bot_styles", "bot_synonyms", "parts", "product_versions"),
        ),
        *(
            "search_indexes",
            "bot_vectors",
            "article_vectors",
            "drafts",
            *("places", "comments", "notices", "draft_versions", "undelivered_emails", "assignment_rules"),
            "tasks",
            "idempotency_keys",
            "changelog_entries",
        ),
        *("webhook_endpoints", "webhook_secrets", "events", "deliveries"),
        *("unanswered_questions", "question_terms", "askings", "golden_questions", "gone_names"),
        *("conversations", "messages", "visitor_secrets", "leads", "alert_targets"),
        *("model_use", "model_purposes", "model_prompts", "language_models"),
        "article_feedback",
        "article_views",
        "search_counts",
        "refused_origins",
        *(
            "people",
            "memberships",
            "sessions",
            "invitations",
            "setup_links",
            "totp_secrets",
            "recovery_codes",
            "passkeys",
            "provider_accounts",
            "audit_entries",
            "oauth_grants",
            "oauth_tokens",
            "trusts",
        ),
        *("suppressed_statements", "draft_viewers", "previews", "review_digests"),
        *("imports", "import_refs", "erasures", "bulk_changes", "api_references"),
        *("published_versions", "subscriptions"),
        *("files", "file_references", "stored_objects", "object_chunks"),
        *("synced_folders", "synced_files"),
        *("code_hosts", "repositories", "repository_changes"),
        *("repository_pulls", "pull_commands", "code_host_logins"),
    ]


async def test_a_deleted_workspace_leaves_no_row_but_the_entry_of_its_end_and_takes_none_of_others(
    rows: list[str], cast: Cast, database: Database, owner: Tx
) -> None:
    async def rows_of(condition: str) -> dict[str, int]:
        tables = [(name, "id" if name == "workspaces" else "workspace_id") for name in rows]
        return {
            name: await owner.value(f"select count(*) from {name} where {column} {condition}")
            for name, column in tables
            if name not in OF_PEOPLE
        }

    acme = cast.acme.workspace_id
    await ask(database, cast.globex, "How do I install it?")
    name = await owner.value("select name from workspaces where id = %(id)s", id=acme)
    people = await owner.column(
        "select person_id from memberships where workspace_id = %(workspace)s", workspace=acme
    )
    await owner.execute(
        "insert into memberships (workspace_id, person_id, role) values (%(workspace)s, %(id)s, 'viewer')",
        workspace=cast.globex.workspace_id,
        id=people[0],
    )
    others = await rows_of(f"<> '{acme}'")
    with pytest.raises(InvalidRequest, match="pause"):
        await delete_workspace(owner, acme, name)
    await pause_workspace(owner, acme)
    with pytest.raises(InvalidRequest, match="Confirm"):
        await delete_workspace(owner, acme, "acme?")

    await delete_workspace(owner, acme, name)

    assert {name: count for name, count in (await rows_of(f"= '{acme}'")).items() if count} == {
        "audit_entries": 1
    }
    assert await rows_of(f"<> '{acme}'") == others
    assert len(people) > 1
    assert await owner.column("select id from people where id = any(%(ids)s)", ids=people) == people[:1]


async def test_the_tables_of_companies_are_all_known_to_these_tests(rows: list[str], owner: Tx) -> None:
    assert set(await names(owner, "select tablename from pg_tables where schemaname = 'public'")) == (
        set(rows) | SHARED
    )


async def test_every_table_of_companies_has_row_level_security_and_a_policy(
    rows: list[str], owner: Tx
) -> None:
    secured = await names(owner, "select relname from pg_class where relkind = 'r' and relrowsecurity")
    ruled = await names(owner, "select tablename from pg_policies where 'instep_app' = any(roles)")
    with_company = await names(
        owner, "select table_name from information_schema.columns where column_name = 'workspace_id'"
    )

    tables = {name for name in with_company if name in rows} | {"workspaces", *OF_PEOPLE}
    assert tables == set(rows) == set(secured) == set(ruled)


def test_connections_are_taken_from_the_pool_where_the_tenant_is_set_and_by_the_job_queue() -> None:
    package = Path(instep.__file__).parent
    takers = {
        str(file.relative_to(package).parent / file.stem)
        for file in package.rglob("*.py")
        if re.search(r"getconn|pool\.connection\(|AsyncConnection\.connect", file.read_text())
    }

    # The last three belong to operator commands, which run as the owner.
    assert takers == {
        *("platform/core/database", "platform/core/jobs/worker"),
        *("operations/backups/restoring", "cli/admin_session", "demo/story"),
    }


async def test_no_view_leads_around_the_policies(owner: Tx) -> None:
    assert await names(owner, "select viewname from pg_views where schemaname = 'public'") == []
    assert await names(owner, "select matviewname from pg_matviews where schemaname = 'public'") == []


async def test_the_applications_role_owns_nothing_and_can_not_get_around_policies(owner: Tx) -> None:
    owned = (
        "select relname from pg_class c join pg_roles r on r.oid = c.relowner where rolname = 'instep_app'"
    )
    powers = "rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolcanlogin or rolreplication"

    assert await names(owner, owned) == []
    assert await owner.value(f"select {powers} from pg_roles where rolname = 'instep_app'") is False
    memberships = "select count(*) from pg_auth_members m join pg_roles r on r.oid = m.member"
    assert await owner.value(f"{memberships} where rolname = 'instep_app'") == 0


async def test_functions_with_the_owners_power_keep_to_their_own_tables(owner: Tx) -> None:
    tables = await names(
        owner, "select proname from pg_proc where prosecdef and pronamespace = 'public'::regnamespace"
    )

    assert set(tables) == {
        "accept_invitation",
        "begin_session",
        "bots_with_alerts",
        "bots_to_follow_up",
        "bots_with_due_subscriptions",
        "change_address",
        "due_digests",
        "prune_undelivered_emails",
        "set_locale",
        "change_password",
        "claim_deliveries",
        "create_person_of_provider",
        "count_hit",
        "domains_to_check",
        "end_session",
        "end_sessions_of",
        "end_ways_in",
        "enter_front_page",
        "enter_grant",
        "enter_site",
        "enter_uncounted",
        "enter_with_bot_key",
        "enter_with_key",
        "enter_with_session",
        "enter_with_token",
        "erase_visitor_windows",
        "find_challenge",
        "find_for_sign_in",
        "find_provider_account",
        "has_provider_account",
        "find_invitation",
        "find_passkey",
        "find_preview",
        "find_setup_link",
        "find_trusts",
        "pulls_to_review",
        "repositories_to_check",
        "repositories_to_poll",
        "workspace_of_code_host",
        "has_several_workspaces",
        "html_behind",
        "is_origin_of_a_bot",
        "is_custom_domain",
        "list_erasures",
        "memberships_of",
        "peek_hits",
        "prove_address",
        "prune_article_feedback",
        "prune_visit_counts",
        "prune_askings",
        "prune_audit_entries",
        "prune_conversations",
        "prune_domain_claims",
        "prune_events",
        "prune_idempotency_keys",
        "prune_imports",
        "prune_leads",
        "prune_links",
        "prune_oauth",
        "prune_rate_windows",
        "prune_sessions",
        "prune_subscriptions",
        "prune_trust_keys",
        "purge_deleted_articles",
        "put_challenge",
        "read_deliveries",
        "record_attempts",
        "removable_objects",
        "remove_unreferenced_files",
        "renew_statistics",
        "search_behind",
        "settle_domain",
        "sessions_of",
        "set_up",
        "slugs_like",
        "switch_session",
        "take_challenge",
        "use_sign_in_link",
        "vectors_behind",
        "verify_session",
        "waiting_work",
    }
    unpinned = """select proname from pg_proc where prosecdef and pronamespace = 'public'::regnamespace
        and not coalesce('search_path=public, pg_temp' = any(proconfig), false)"""
    assert await names(owner, unpinned) == []


async def test_the_application_can_not_change_the_audit_log_or_read_password_hashes(
    rows: list[str], app_tx: Tx, cast: Cast
) -> None:
    await enter(app_tx, cast.acme.workspace_id)
    for statement in (
        "update audit_entries set actor_name = 'nobody'",
        "delete from audit_entries",
        "truncate audit_entries",
        "select password_hash from people",
        "update people set email = 'ann@globex.example'",
        "insert into memberships (workspace_id, person_id, role) "
        "select workspace_id, 'per_1', 'owner' from memberships",
        "select token_hash from sessions",
        "insert into sessions (token_hash, workspace_id, person_id, id) "
        "select 'x', workspace_id, person_id, 'ses_1' from memberships",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await app_tx.execute(statement)


@pytest.mark.parametrize("access", ["enable_seqscan", "enable_indexscan"])
async def test_a_visit_enters_the_company_of_its_help_center_whichever_way_the_bot_is_found(
    app_tx: Tx, cast: Cast, access: str
) -> None:
    await app_tx.execute(f"set {access} = off")
    await app_tx.execute("set enable_bitmapscan = off")

    for company in (cast.acme, cast.globex, cast.paused):
        async with app_tx.transaction():
            entered = await app_tx.value("select workspace_id from enter_site(%(slug)s)", slug=company.slug)
            in_force = await app_tx.value("select current_setting('instep.workspace_id')")
        assert entered == in_force == company.workspace_id
        # The next user of the connection, perhaps through a pooler, is in no company.
        assert await app_tx.value("select current_setting('instep.workspace_id')") == ""
    assert await app_tx.value("select workspace_id from enter_site('nobody')") is None
    assert await app_tx.value("select current_setting('instep.workspace_id')") == ""


async def test_a_session_without_a_company_sees_nothing(rows: list[str], app_tx: Tx) -> None:
    for table in rows:
        assert await count(app_tx, table) == 0, table


async def test_another_company_sees_none_of_the_rows(rows: list[str], app_tx: Tx, cast: Cast) -> None:
    for table in rows:
        await enter(app_tx, cast.acme.workspace_id)
        ours = await count(app_tx, table)
        await enter(app_tx, cast.globex.workspace_id)
        assert ours >= 1, table
        assert (
            await app_tx.value(
                f"select count(*) from {table} where {of_company(table)}", id=cast.acme.workspace_id
            )
            == 0
        )


async def test_another_company_changes_and_removes_none_of_the_rows(
    rows: list[str], app_tx: Tx, owner: Tx, cast: Cast
) -> None:
    for table in rows:
        columns = await names(
            owner,
            f"""select column_name from information_schema.column_privileges
                where grantee = 'instep_app' and privilege_type = 'UPDATE' and table_name = '{table}'""",
        )
        before = await snapshot(owner, table, cast)
        for scope in (cast.globex.workspace_id, ""):
            await enter(app_tx, scope)
            for column in columns:
                await try_to(
                    app_tx, f"update {table} set {column} = {column} where {of_company(table)}", cast
                )
            await try_to(app_tx, f"delete from {table} where {of_company(table)}", cast)
        assert await snapshot(owner, table, cast) == before, table


async def test_another_company_adds_no_row_to_a_company(
    rows: list[str], app_tx: Tx, owner: Tx, cast: Cast
) -> None:
    for table in rows:
        before = await snapshot(owner, table, cast)
        for scope in (cast.globex.workspace_id, ""):
            await enter(app_tx, scope)
            # A copy of one of the company's rows, so that only the company can be wrong with it.
            row = await owner.value(
                f"select to_jsonb(t)::text from {table} t where {of_company(table)} limit 1",
                id=cast.acme.workspace_id,
            )
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                await app_tx.execute(
                    f"insert into {table} select * from jsonb_populate_record(null::{table}, %(row)s::jsonb)",
                    row=row,
                )
        assert await snapshot(owner, table, cast) == before, table


async def test_a_row_can_not_be_moved_to_another_company(app_tx: Tx, cast: Cast, globex: Client) -> None:
    await globex.post("/v1/articles", json={"title": "A", "contentMarkdown": "b"})
    await enter(app_tx, cast.globex.workspace_id)

    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        await app_tx.execute("update articles set workspace_id = %(id)s", id=cast.acme.workspace_id)


async def test_the_application_can_not_read_protected_tables_or_change_the_schema(app_tx: Tx) -> None:
    for table in OUT_OF_REACH:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await count(app_tx, table)
    for statement in (
        "create table mine (id int)",
        "drop table articles",
        "alter table articles disable row level security",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await app_tx.execute(statement)


async def test_the_hashes_of_keys_are_out_of_the_applications_reach(app_tx: Tx, cast: Cast) -> None:
    await enter(app_tx, cast.acme.workspace_id)

    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        await app_tx.value("select key_hash from api_keys")


async def names(tx: Tx, sql: str) -> list[str]:
    async with tx.connection.cursor() as cursor:
        await cursor.execute(sql.encode())
        return [row[0] for row in await cursor.fetchall()]


async def enter(tx: Tx, workspace_id: str) -> None:
    await tx.value("select set_config('instep.workspace_id', %(id)s, false)", id=workspace_id)


async def count(tx: Tx, table: str) -> int:
    # Some columns may not be read, so this counts rows.
    rows: int = await tx.value(f"select count(*) from {table}")
    return rows


def of_company(table: str) -> str:
    if table in OF_PEOPLE:
        members = "select person_id from memberships where workspace_id = %(id)s"
        return f"{OF_PEOPLE[table]} in ({members})"
    return f"{'id' if table == 'workspaces' else 'workspace_id'} = %(id)s"


async def snapshot(owner: Tx, table: str, cast: Cast) -> str:
    sql = f"select coalesce(jsonb_agg(to_jsonb(t) order by t::text), '[]')::text from {table} t"
    value: str = await owner.value(f"{sql} where {of_company(table)}", id=cast.acme.workspace_id)
    return value


async def try_to(tx: Tx, sql: str, cast: Cast) -> None:
    """Assert that the statement affects no row or is refused."""
    with suppress(psycopg.errors.InsufficientPrivilege):
        assert await tx.execute(sql, id=cast.acme.workspace_id) == 0
