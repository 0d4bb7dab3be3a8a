"""Every operation in the specification works, and refuses requests, as the specification says."""

import pytest

from instep.accounts.people.actions import list_audit
from instep.accounts.workspaces.actions import create_key, pause_workspace
from instep.platform.core.database import Database, Tx
from instep.platform.identity.scopes import Scope
from tests.support.api_document import assert_described, document
from tests.support.api_table import TABLE, Operation, assemble
from tests.support.cast import Api, Cast, Client, Company
from tests.support.http import Response, error

each = pytest.mark.parametrize("operation", TABLE, ids=lambda row: f"{row.method} {row.path}")
WITH_REFERENCE = [row for row in TABLE if row.has_reference]
each_with_reference = pytest.mark.parametrize(
    "operation", WITH_REFERENCE, ids=lambda row: f"{row.method} {row.path}"
)
MISSING_IDS = (
    *("nothing", "art_00000000000000000000000000", "0", "-1", "null", "%F0%9F%9A%80", "a" * 2_000),
    *("..%2Farticles", "'%20or%201=1--", "edit_", "search2"),
)


async def things_of(
    api: Api, company: Company, database: Database, operation: Operation | None = None
) -> dict[str, str]:
    return await assemble(api(company.write_key), company, database, operation)


async def new_writer(api: Api, company: Company, owner: Tx) -> Client:
    """A client with a new key that has not sent any requests."""
    key = await create_key(owner, company.workspace_id, "ci", Scope.WRITE, [company.bot_id])
    return api(key.key)


async def ask(client: Client, operation: Operation, things: dict[str, str]) -> Response:
    path = "/v1" + operation.path.format(**things)
    return await client.request(
        operation.method,
        path,
        params=operation.query_for(things),
        json=operation.body,
        content=operation.content,
    )


def test_the_api_has_the_operations_of_the_table_and_no_others() -> None:
    described = {
        (method.upper(), path) for path, methods in document()["paths"].items() for method in methods
    }

    assert described == {(row.method, row.template) for row in TABLE}


@each
async def test_an_operation_works_as_described_and_a_write_is_in_the_audit_log(
    client: Client, api: Api, cast: Cast, database: Database, owner: Tx, operation: Operation
) -> None:
    things = await things_of(api, cast.acme, database, operation)
    [before] = await list_audit(owner, cast.acme.workspace_id, 1)

    answer = await ask(client, operation, things)

    assert answer.status_code == operation.status, answer.text
    assert_described(answer, operation.method, operation.template)
    noted = [row for row in await list_audit(owner, cast.acme.workspace_id, 10) if row.id > before.id]
    described = document()["paths"][operation.template][operation.method.lower()]
    expected = (
        [(described["operationId"], answer.json().get("id", operation.audited))] if operation.is_write else []
    )
    assert [(row.action, row.resource) for row in noted] == expected


async def test_a_read_key_gets_what_it_may_read_and_changes_nothing(
    reader: Client, api: Api, cast: Cast, database: Database
) -> None:
    things = await things_of(api, cast.acme, database)

    for operation in TABLE:
        answer = await ask(reader, operation, things)

        assert_described(answer, operation.method, operation.template)
        if operation.is_write:
            assert error(answer) == (403, "insufficient_scope"), operation
        else:
            assert answer.status_code == operation.status, operation


async def test_another_workspace_and_another_bot_do_not_find_the_object(
    reader: Client, globex: Client, wide: Client, api: Api, cast: Cast, owner: Tx, database: Database
) -> None:
    things = await things_of(api, cast.acme, database)
    writer = await new_writer(api, cast.acme, owner)
    wide.headers["Service-Bot"] = str(cast.second_bot_id)

    for operation in WITH_REFERENCE:
        refusals = [await ask(stranger, operation, things) for stranger in (globex, wide)]
        unknown = await ask(writer, operation, dict.fromkeys(things, "nothing"))

        assert error(unknown) == (404, "not_found"), operation
        assert_described(unknown, operation.method, operation.template)
        contents = [(refusal.status_code, refusal.content) for refusal in refusals]
        assert contents == [(404, unknown.content)] * 2, operation
        if not operation.is_write:
            assert (await ask(reader, operation, things)).status_code == operation.status, operation


@each_with_reference
async def test_unknown_ids_get_404(client: Client, operation: Operation) -> None:
    for missing in MISSING_IDS:
        path = "/v1" + operation.template.replace("{id}", missing).replace("{revisionId}", missing)
        refusal = await client.request(
            operation.method, path.replace("{deliveryId}", missing), json=operation.body
        )

        assert error(refusal) == (404, "not_found"), missing
        assert_described(refusal, operation.method, operation.template)


async def test_a_paused_workspace_reads_and_does_not_write(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    things = await things_of(api, cast.paused, database)
    writer = await new_writer(api, cast.paused, owner)
    await pause_workspace(owner, cast.paused.workspace_id)

    for operation in TABLE:
        answer = await ask(writer, operation, things)

        assert_described(answer, operation.method, operation.template)
        if operation.is_write:
            assert error(answer) == (402, "plan_inactive"), operation
        else:
            assert answer.status_code == operation.status, operation


async def test_a_bad_body_is_refused_with_its_field(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    things = await things_of(api, cast.acme, database)
    operations = [operation for operation in TABLE if operation.body is not None]
    assert operations
    for operation in operations:
        # The rate limit of a single key would be too low.
        await refuse_bodies(await new_writer(api, cast.acme, owner), operation, things)


async def refuse_bodies(client: Client, operation: Operation, things: dict[str, str]) -> None:
    path = "/v1" + operation.path.format(**things)
    if "subject" in operation.query:
        path += f"?subject={things['draft']}"

    unknown = await client.request(operation.method, path, json={**(operation.body or {}), "colour": "red"})
    malformed = [
        await client.request(
            operation.method, path, content=content, headers={"Content-Type": "application/json"}
        )
        for content in (b"{", b"[]", b'"text"', b"null", b'{"title": NaN}', b'{"title": "\\ud800"}', b"\xff")
    ]
    plain = await client.request(
        operation.method, path, content=b"{}", headers={"Content-Type": "text/plain"}
    )

    assert [detail["field"] for detail in unknown.json()["details"]] == ["colour"]
    for refusal in (unknown, *malformed, plain):
        assert error(refusal) == (400, "invalid_request"), refusal.request.content
        assert_described(refusal, operation.method, operation.template)


def test_402_is_described_for_writes_alone() -> None:
    for row in TABLE:
        responses = document()["paths"][row.template][row.method.lower()]["responses"]
        assert ("402" in responses) == row.is_write, row
