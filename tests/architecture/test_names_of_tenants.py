"""Two workspaces use the same names, and each lookup by name finds the row of the workspace that asks."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from instep.accounts.trusts.actions import create_trust
from instep.accounts.trusts.queries import find_trusts
from instep.accounts.trusts.schemas import TrustFields
from instep.accounts.workspaces.domain_claims import change_domain
from instep.platform.core.database import Tx
from instep.platform.core.outbound.allowed import AllowList
from instep.platform.identity.scopes import Scope
from tests.interfaces.dashboard.test_domain_claims import OWNER
from tests.support.cast import Api, Cast, Client, Company
from tests.support.changelog_entries import publish_entry
from tests.support.changes import change
from tests.support.file_samples import picture
from tests.support.http import create_article, create_collection, created, ok
from tests.support.questions import ask
from tests.support.site_pages import publish
from tests.support.uploads import send, upload

# Columns with ids that the service generates at random, so that callers can't choose an existing one.
ID = re.compile(r"\(*(?:id|\w+_id|token_hash|key_hash|code_hash|bot_key|object_key)\b")
# Unique indexes that are only searched within a workspace, or whose columns callers can't set, and why.
OF_THE_SERVICE = {
    "article_views": "counts by days",
    "assignment_rules": "found with the bot, by the collection or the label",
    "code_host_logins": "found with the id of the code host",
    "draft_versions": "found with the id of the draft",
    "file_references": "a trigger writes them",
    "golden_questions": "found with the article's id",
    "gone_names": "found with the article's id",
    "import_refs": "found with the bot of the import, as the address of an earlier page",
    "model_prompts": "found with the bot of the task",
    "model_purposes": "counts by days",
    "model_use": "counts by days",
    "object_chunks": "found by the random key of the object",
    "published_versions": "found with the id of the article",
    "question_terms": "found with the bot of the question",
    "refused_origins": "found with the bot of the widget",
    "repository_changes": "found with the id of the repository",
    "repository_pulls": "found with the id of the repository",
    "subscriptions": "found with the bot and the topic",
    "undelivered_emails": "found by the address of a member of the workspace",
    "revisions": "found with the article's id",
    "search_counts": "counts by days",
    "stored_objects": "found by the random key of the object",
    "suppressed_statements": "found with the bot of the task",
    "synced_files": "found with the bot of the sync",
    "synced_folders": "found with the bot of the sync",
}
# Names that are unique in the whole installation, and why they reveal nothing about other workspaces.
OF_THE_INSTALLATION = {
    "alembic_version (version_num)": "no tenant's",
    "backup_runs (began_at)": "no tenant's",
    "bots (slug)": "it is public, as part of an address",
    "bots (domain)": "only its DNS or the operator gives it",
    "jobs (kind, dedupe)": "keys of the service, with ids in them",
    "people (email)": "one person in several workspaces, who has proved the address",
    "people (email, unproved_in)": "valid in the workspace that invited",
    "provider_accounts (issuer, client_id, subject)": "an account of one person, signed by the provider",
    "rate_windows (policy, subject)": "counts by ids and addresses",
}
# Functions that search all workspaces for a name that the caller chooses.
BEYOND_THE_WORKSPACE = {
    "bots_with_alerts": "by a kind of alerts, and it returns ids alone",
    "change_address": "by an address that the person has proved, and it says only whether it is taken",
    "count_hit": "by ids and addresses, and it returns a count alone",
    "create_person_of_provider": "in the only workspace",
    "enter_site": "by a slug or a host name, which are one in the installation",
    "erase_visitor_windows": "by hashes that hold the bot",
    "find_for_sign_in": "by the address of a person, whom a password or a proof identifies",
    "find_provider_account": "by what the provider has signed",
    "find_trusts": "the caller names the trust or the workspace",
    "has_provider_account": "by what the provider has signed",
    "is_custom_domain": "only proved names, and only whether there is one",
    "is_origin_of_a_bot": "only whether a browser may ask; the bot's key decides about answers",
    "peek_hits": "by ids and addresses, and it returns a count alone",
    "prove_address": "of one person",
    "set_locale": "of one person",
    "settle_domain": "the DNS of the name decides",
    "slugs_like": "slugs are public, as parts of addresses",
    "vectors_behind": "by the name of the installation's model",
}
# Parameters that are not names: ids, and secrets that only the person has.
NO_NAMES = {
    "p_person",
    "p_id",
    "p_workspace",
    "p_password_hash",
    "p_new_hash",
    "p_browser",
    "p_secret",
    "p_except",
}

# Stores the name in the company's workspace; returns the expected result of a lookup, and the result.
Case = Callable[[Api, Tx, Company], Awaitable[tuple[Any, Any]]]


def writer(api: Api, company: Company) -> Client:
    return api(company.write_key)


async def article(api: Api, owner: Tx, company: Company) -> tuple[Any, Any]:
    made = await publish(writer(api, company), "Install", f"Words of {company.slug}.")
    page = (await api(None).get(f"/help/{company.slug}/articles/install")).text
    assert f"Words of {company.slug}." in page
    return made["id"], ok(await writer(api, company).get("/v1/articles/install"))["id"]


async def former_slug(api: Api, owner: Tx, company: Company) -> tuple[Any, Any]:
    made = await publish(writer(api, company), "Begin")
    ok(await writer(api, company).patch(f"/v1/articles/{made['id']}", json={"slug": "start"}))
    moved = await api(None).get(f"/help/{company.slug}/articles/begin")
    return f"/help/{company.slug}/articles/start", moved.headers["Location"].removeprefix("http://help.test")


async def collection(api: Api, owner: Tx, company: Company) -> tuple[Any, Any]:
    made = await create_collection(writer(api, company), "Guides")
    listed = ok(await writer(api, company).get("/v1/collections"))["results"]
    return [made["id"]], [row["id"] for row in listed if row["slug"] == made["slug"]]


async def entry(api: Api, owner: Tx, company: Company) -> tuple[Any, Any]:
    made = await publish_entry(writer(api, company), "Exports")
    return made["id"], ok(await writer(api, company).get(f"/v1/changelog/entries/{made['slug']}"))["id"]


async def redirect(api: Api, owner: Tx, company: Company) -> tuple[Any, Any]:
    made = await publish(writer(api, company), f"Target of {company.slug}")
    body = {"from": "/hc/1", "articleId": made["id"]}
    created(await writer(api, company).post("/v1/redirects", json=body))
    moved = await api(None).get(f"/help/{company.slug}/hc/1")
    return f"/help/{company.slug}/articles/{made['slug']}", moved.headers["Location"].removeprefix(
        "http://help.test"
    )


async def part(api: Api, owner: Tx, company: Company) -> tuple[Any, Any]:
    body = {"name": "note", "text": f"Note of {company.slug}."}
    created(await writer(api, company).post("/v1/parts", json=body))
    made = await publish(writer(api, company), "Billing", "{{part.note}}")
    page = (await api(None).get(f"/help/{company.slug}/articles/{made['slug']}.md")).text
    return [f"Note of {company.slug}."], [line for line in page.splitlines() if line.startswith("Note of")]


async def product_version(api: Api, owner: Tx, company: Company) -> tuple[Any, Any]:
    made = created(await writer(api, company).post("/v1/product-versions", json={"slug": "1.x"}))
    article = await create_article(writer(api, company), "Install", sinceVersion="1.x")
    listed = ok(await writer(api, company).get("/v1/articles", params={"version": "1.x"}))["results"]
    assert [row["id"] for row in listed] == [article["id"]]
    return made["id"], ok(await writer(api, company).get("/v1/product-versions/1.x"))["id"]


async def file(api: Api, owner: Tx, company: Company) -> tuple[Any, Any]:
    made = await upload(writer(api, company))
    again = ok(await send(writer(api, company), picture()))
    assert company.slug in again["url"]
    return made["id"], again["id"]


async def idempotency_key(api: Api, owner: Tx, company: Company) -> tuple[Any, Any]:
    body, headers = change(diff=None), {"Idempotency-Key": "deploy-1"}
    made = await writer(api, company).post("/v1/tasks", json=body, headers=headers)
    again = await writer(api, company).post("/v1/tasks", json=body, headers=headers)
    assert "Idempotent-Replayed" not in made.headers
    return made.json()["id"], again.json()["id"]


async def question_id(api: Api, owner: Tx, company: Company) -> tuple[Any, Any]:
    made = await ask(api(None), company, "How do I export?", questionId="q-1")
    return made["messageId"], (await ask(api(None), company, "How do I export?", questionId="q-1"))[
        "messageId"
    ]


async def trust(api: Api, owner: Tx, company: Company) -> tuple[Any, Any]:
    issuer = "https://ci.names.example"
    fields = TrustFields(issuer, "http://help.test", {"repository": "acme/app"}, [], Scope.WRITE)
    made = await create_trust(owner, company.workspace_id, fields, AllowList())
    return [made.id], [row.id for row in await find_trusts(owner, issuer, company.workspace_id)]


async def claimed_domain(api: Api, owner: Tx, company: Company) -> tuple[Any, Any]:
    name = "help.names.example"
    row = await change_domain(owner, company.workspace_id, company.bot_id, name, OWNER)
    return (company.bot_id, None), (row.id, row.domain)


CASES: dict[str, Case] = {
    "articles": article,
    "former_slugs": former_slug,
    "collections": collection,
    "changelog_entries": entry,
    "parts": part,
    "product_versions": product_version,
    "redirects": redirect,
    "files": file,
    "idempotency_keys": idempotency_key,
    "messages": question_id,
    "trusts": trust,
    "bots.claimed_domain": claimed_domain,
}
# These names have no unique index: several rows of a workspace may share one.
WITHOUT_INDEX = {"trusts", "bots.claimed_domain"}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_a_name_leads_to_the_row_of_the_workspace_that_asks(
    case: Case, api: Api, cast: Cast, owner: Tx
) -> None:
    results = [await case(api, owner, company) for company in (cast.acme, cast.globex)]

    for expected, found in results:
        assert found == expected
    assert results[0][0] != results[1][0]


async def test_every_unique_name_is_known_to_these_tests(owner: Tx) -> None:
    within, beyond = set[str](), set[str]()
    for table, columns in await unique_indexes(owner):
        names = [column for column in columns if not ID.match(column)]
        if names and "workspace_id" in columns:
            within.add(table)
        elif names:
            beyond.add(f"{table} ({', '.join(columns)})")

    # A new name needs a case here, or a reason why a caller can't use another workspace's name.
    assert within == (CASES.keys() | OF_THE_SERVICE.keys()) - WITHOUT_INDEX
    assert beyond == OF_THE_INSTALLATION.keys()


async def test_every_function_that_looks_beyond_the_workspace_for_a_name_is_known(owner: Tx) -> None:
    functions = await rows_of(
        owner,
        """select proname, pg_get_function_arguments(oid) from pg_proc
        where prosecdef and pronamespace = 'public'::regnamespace""",
    )

    # Functions with a `bytea` parameter look up a secret by its hash.
    by_name = {
        name
        for name, parameters in functions
        if "bytea" not in parameters and set(re.findall(r"(\w+) text\b(?!\[)", parameters)) - NO_NAMES
    }
    assert by_name == BEYOND_THE_WORKSPACE.keys()


async def unique_indexes(owner: Tx) -> list[tuple[str, list[str]]]:
    """The table and columns of each unique index."""
    definitions = await rows_of(
        owner,
        """select t.relname, pg_get_indexdef(x.indexrelid)
        from pg_index x join pg_class t on t.oid = x.indrelid
        where x.indisunique and t.relnamespace = 'public'::regnamespace""",
    )
    lists = [(table, text.split(" USING btree (")[1].split(") WHERE")[0]) for table, text in definitions]
    return [(table, columns.removesuffix(")").split(", ")) for table, columns in lists]


async def rows_of(owner: Tx, sql: str) -> list[tuple[str, str]]:
    async with owner.connection.cursor() as cursor:
        await cursor.execute(sql.encode())
        return [(str(first), str(second)) for first, second in await cursor.fetchall()]
