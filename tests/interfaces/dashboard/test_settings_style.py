"""Settings → Style: rules, the glossary, checks, and their download."""

import json
import re

import pytest

from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Json

PAGE = "settings/style"


async def saved(desk: Desk, action: str, **fields: str | list[str]) -> str:
    return (await desk.follow(await desk.send(PAGE, action, **fields))).text


async def style_of(desk: Desk) -> Json:
    style: Json = json.loads((await desk.get(f"{PAGE}/file")).text)
    return style


async def test_rules_are_added_changed_in_their_place_and_deleted(editor: Desk) -> None:
    offered = re.findall(r'name="starters" value="([^"]+)"', (await editor.get(PAGE)).text)
    await saved(editor, f"{PAGE}/starters", starters=[offered[0], offered[2]])
    await saved(editor, f"{PAGE}/rules", rule="Be brief.", good="Save.", bad="")

    form = (await editor.get(f"{PAGE}?rule=Be%20brief.")).text
    await saved(editor, f"{PAGE}/rules", **{"was-rule": offered[0], "rule": "Be kind.", "good": "Hi."})
    await saved(editor, f"{PAGE}/rules", **{"was-rule": offered[2]})

    assert 'value="Save."' in form
    assert [rule["rule"] for rule in (await style_of(editor))["rules"]] == ["Be kind.", "Be brief."]


async def test_a_term_is_found_by_its_term_and_language(editor: Desk) -> None:
    fields = {"term": "sign in", "never-say": "log in, ,login", "meaning": "", "term-locale": ""}
    await saved(editor, f"{PAGE}/terms", **fields)
    await saved(editor, f"{PAGE}/terms", **{**fields, "term-locale": "de", "do-not-translate": "yes"})
    edited = (await editor.get(f"{PAGE}?term=sign+in&language=de")).text
    page = await saved(
        editor, f"{PAGE}/terms", **{**fields, "was-term": "sign in", "was-locale": "", "meaning": "x"}
    )
    await saved(editor, f"{PAGE}/terms", **{"was-term": "sign in", "was-locale": "de"})

    assert page.count("Delete sign in") == 2
    assert ('value="yes" checked' in edited, "Add term" in edited, "Add term" in page) == (True, False, True)
    assert (await style_of(editor))["terms"] == [
        {
            "term": "sign in",
            "meaning": "x",
            "neverSay": ["log in", "login"],
            "locale": None,
            "doNotTranslate": False,
        }
    ]
    assert "Delete sign in" not in (await editor.get(f"{PAGE}?q=elsewhere")).text


@pytest.mark.parametrize(
    ("action", "fields", "kept"),
    [
        (PAGE, {"max-sentence-words": "many", "avoid-words": "simply"}, "simply</textarea>"),
        (
            PAGE,
            {"max-sentence-words": "many", "avoid-words": f"simply\n{'x' * 500}"},
            "Words to avoid: it is longer than 60 characters. Longest sentence: it must be a whole number.",
        ),
        (
            f"{PAGE}/rules",
            {"rule": "x" * 301, "good": "y" * 301},
            ". `good`: it is longer than 300 characters.",
        ),
        (f"{PAGE}/rules", {"rule": "x" * 301, "good": "Press it."}, 'value="Press it."'),
        (f"{PAGE}/terms", {"term": "sign in", "term-locale": "no language"}, 'value="no language"'),
    ],
)
async def test_a_refusal_keeps_what_was_typed(
    editor: Desk, action: str, fields: dict[str, str | list[str]], kept: str
) -> None:
    before = await style_of(editor)

    refused = await editor.send(PAGE, action, **fields)

    assert refused.status_code == 400
    assert kept in refused.text
    assert await style_of(editor) == before


async def test_checks_are_saved_and_a_viewer_only_looks(editor: Desk, viewer: Desk) -> None:
    checks = {
        "avoid-words": "simply\n\nplease",
        "heading-case": "sentence",
        "max-sentence-words": "25",
        "avoid-passive-should": "yes",
    }
    await saved(editor, PAGE, **checks)

    style = await style_of(viewer)
    page = (await viewer.get(PAGE)).text
    assert (style["avoidWords"], style["headingCase"]) == (["simply", "please"], "sentence")
    assert (style["maxSentenceWords"], style["avoidPassiveShould"]) == (25, True)
    assert "Add rule" not in page
    assert (await viewer.post(PAGE, checks)).status_code == 403


@pytest.mark.parametrize(
    ("name", "accepted"), [("1764553200000", "1764553200000"), ("x" * 9_000, ""), ('"><b>', "")]
)
async def test_the_page_after_a_form_names_it_if_a_script_has_named_it(
    editor: Desk, name: str, accepted: str
) -> None:
    await saved(editor, f"{PAGE}/rules", rule="Be brief.", good="", bad="", **{"form-sent": name})

    assert f'data-accepted="{accepted}"' in (await editor.get(PAGE)).text
