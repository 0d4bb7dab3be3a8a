"""`GET /style` and `PATCH /style`."""

from typing import Any

import pytest

from instep.platform.core import limits
from tests.support.cast import Api, Cast
from tests.support.http import ok

PATH = "/v1/style"
NOTHING: dict[str, Any] = {
    "rules": [],
    "terms": [],
    "avoidWords": [],
    "headingCase": None,
    "maxSentenceWords": None,
    "avoidPassiveShould": False,
}
TERM = {"term": "sign  in", "neverSay": ["log in"], "locale": "pt-br"}


async def test_only_the_sent_fields_change_and_each_bot_has_its_own_style(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    assert ok(await client.get(PATH)) == NOTHING

    changed = ok(await client.patch(PATH, json={"terms": [TERM], "headingCase": "title"}))
    again = ok(await client.patch(PATH, json={"rules": [{"rule": "Be brief."}], "headingCase": None}))

    term = {**TERM, "term": "sign in", "locale": "pt-BR", "meaning": None, "doNotTranslate": False}
    assert changed == {**NOTHING, "terms": [term], "headingCase": "title"}
    assert again == {
        **changed,
        "headingCase": None,
        "rules": [{"rule": "Be brief.", "good": None, "bad": None}],
    }
    assert ok(await api(cast.acme.read_key).get(PATH)) == again
    assert ok(await api(cast.globex.write_key).get(PATH)) == NOTHING


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"terms": [{"term": "Login"}, {"term": "login"}]}, "terms"),
        ({"rules": [{"rule": "Be brief."}, {"rule": "Be brief.", "good": "Go."}]}, "rules"),
        ({"terms": [{"term": " "}]}, "terms.0.term"),
        ({"terms": [{"term": "x", "neverSay": ["y"] * (limits.MAX_TERM_VARIANTS + 1)}]}, "terms.0.neverSay"),
        ({"rules": [{"rule": "x" * (limits.MAX_STYLE_RULE_CHARACTERS + 1)}]}, "rules.0.rule"),
        ({"avoidWords": ["x"] * (limits.MAX_AVOIDED_WORDS + 1)}, "avoidWords"),
        ({"maxSentenceWords": 1}, "maxSentenceWords"),
        ({"headingCase": "loud"}, "headingCase"),
    ],
)
async def test_invalid_style_is_refused_and_changes_nothing(
    api: Api, cast: Cast, body: dict[str, Any], field: str
) -> None:
    client = api(cast.acme.write_key)

    refused = await client.patch(PATH, json=body)

    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
    assert refused.json()["details"][0]["field"] == field
    assert ok(await client.get(PATH)) == NOTHING
