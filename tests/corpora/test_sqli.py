"""SQL injections in every parameter: they find and change nothing, and delay nothing."""

import json
from pathlib import Path

import pytest

from instep.platform.core.database import Tx
from tests.corpora.places import Place, in_turn, text_places
from tests.corpora.requests import Sender
from tests.support.http import Response, body_of

pytestmark = pytest.mark.corpora

# Parameters with fixed words or formats are validated by their schema, so a few payloads are enough.
SOME = 5
# An accepted task inserts rows into these tables; no other request inserts any.
OF_TASKS = {"tasks", "audit_entries", "jobs", "idempotency_keys", "rate_windows"}


@pytest.mark.parametrize("name", text_places())
async def test_injections_find_nothing_and_change_nothing(
    corpora: Path, sender: Sender, owner: Tx, name: str
) -> None:
    places = text_places()[name]
    # Words that no payload contains.
    live = f"/v1/articles/{sender.things['published']}"
    await sender.client.patch(live, json={"title": "Zyzzyva", "contentMarkdown": "Quokka."})
    controls = {place.operation.path: rows(await sender.send_at(place, "")) for place in places}
    before = await row_counts(owner)
    tasks = set()
    chosen_payloads = payloads(corpora)[:: SOME if places[0].is_narrow else 1]
    for place, text in in_turn(places, chosen_payloads):
        answer = await sender.send_at(place, text)
        if answer.status_code == 202:
            tasks.add(answer.json()["id"])
        elif not is_harmless(place, answer, controls[place.operation.path]):
            sender.fault(f"{place} with {text!r}: {answer.status_code} {answer.text[:200]}")

    after = await row_counts(owner)
    for table in ("tasks", "audit_entries"):
        assert after[table] - before[table] == len(tasks), table
    for table in before.keys() - OF_TASKS:
        assert after[table] == before[table], table


def is_harmless(place: Place, answer: Response, control: object) -> bool:
    """True if the request was refused or found nothing; with a header, the result must be the usual one."""
    if answer.is_client_error:
        return True
    if place.kind == "header":
        return place.operation.method == "GET" and rows(answer) == control
    return place.kind == "query" and not any(
        value for value in body_of(answer).values() if isinstance(value, list)
    )


def rows(answer: Response) -> object:
    """The results in a response."""
    body = body_of(answer)
    return body.get("results", body)


def payloads(corpora: Path) -> list[str]:
    texts = json.loads((corpora / "sqli" / "payloads.json").read_text())
    assert len(texts) > 1_000
    return [row["payload"] for row in texts]


async def row_counts(owner: Tx) -> dict[str, int]:
    names = await owner.value("select array_agg(tablename::text) from pg_tables where schemaname = 'public'")
    return {name: await owner.value(f'select count(*) from "{name}"') for name in names}
