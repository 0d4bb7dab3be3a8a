"""Texts that are, or only look like, times, ids and addresses, as parameters of these types."""

import json
from pathlib import Path

import pytest

from tests.corpora.places import WITH_BODY, FieldPath, body_with, text_fields, text_places, value_at
from tests.corpora.requests import Sender
from tests.support.http import body_of, named_fields

pytestmark = pytest.mark.corpora

# Times that RFC 3339 allows and the API does not, with the reasons.
REFUSED = {
    "1998-12-31T23:59:60Z": "neither Python nor PostgreSQL keeps leap seconds",
    "1998-12-31T15:59:60.123-08:00": "the same leap second elsewhere",
}
# A valid time among the invalid dates.
TIME_AMONG_DAYS = "2020-11-28T23:55:45Z"
URLS = {"url", "sourceUrl"}


async def test_only_valid_times_are_accepted(corpora: Path, sender: Sender) -> None:
    [place] = text_places()["query updated_since"]
    times = cases(corpora, "date-time") | dict.fromkeys(REFUSED, False)
    # A date alone is not a point in time.
    days = dict.fromkeys(cases(corpora, "date"), False)
    for text, is_valid in {**days, **times, TIME_AMONG_DAYS: True}.items():
        answer = await sender.send_at(place, text)

        assert answer.is_success is is_valid, (text, answer.text)
        assert is_valid or named_fields(answer) == ["updated_since"]
    assert sum(times.values()) >= 3


@pytest.mark.parametrize("label", ["query bot_id", "header Service-Bot"])
async def test_invalid_bot_ids_are_refused(corpora: Path, sender: Sender, label: str) -> None:
    for place in text_places()[label]:
        for text in filter(None, cases(corpora, "uuid")):
            answer = await sender.send_at(place, text)
            assert answer.status_code == 403, (place, text)


async def test_addresses_in_bodies_are_taken_whole_or_refused(corpora: Path, sender: Sender) -> None:
    hosts = [*cases(corpora, "hostname"), *cases(corpora, "idn-hostname")]
    ips = [*cases(corpora, "ipv4"), *(f"[{ip}]" for ip in cases(corpora, "ipv6"))]
    urls = [*cases(corpora, "uri"), *(f"https://{host}/hooks" for host in [*hosts, *ips])]
    accepted_count = 0
    for operation in WITH_BODY:
        for path in filter(is_url, text_fields(operation)):
            for url in urls:
                answer = await sender.send(operation, json=body_with(operation, path, url))
                if answer.is_success:
                    accepted_count += 1
                    assert value_at(body_of(answer), path) == url

    assert accepted_count > len(urls)


def is_url(path: FieldPath) -> bool:
    return path[-1] in URLS


def cases(corpora: Path, name: str) -> dict[str, bool]:
    """Texts, and whether they are valid in this format; numbers are sent as digits and are invalid."""
    rows = json.loads((corpora / "formats" / f"{name}.json").read_text())
    texts = {row["data"]: row["valid"] for row in rows if isinstance(row["data"], str)}
    numbers = {str(row["data"]): False for row in rows if isinstance(row["data"], int | float)}
    assert len(texts) > 5
    return texts | numbers
