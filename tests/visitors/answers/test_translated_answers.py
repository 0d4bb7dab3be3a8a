"""Answers in a language other than the articles': numbers and names stay, and visitors are informed."""

import pytest
from fastapi import FastAPI

from instep.visitors.answers.support import is_written_in, refusal_of_translation
from tests.support.cast import Api, Cast
from tests.support.http import ok
from tests.support.questions import CHAT, RESET, ask, titles
from tests.support.scripted_model import Scripted
from tests.support.site_pages import publish
from tests.support.visitors import credentials
from tests.visitors.answers.test_streaming import EVENTS, events_in

QUESTION = "Wie setze ich mein Passwort zurück?"
ENGLISH, CODE = "You can change your password at any time.", "The code is good for 15 minutes."


def replying_in(language: str, *parts: tuple[str, str]) -> Scripted:
    """A model that replies in this language, with sentences that quote the first section."""
    rows = [{"text": text, "section": 1, "quote": quote} for text, quote in parts]
    head = {"kind": "question", "language": language, "sections": [1]}
    return Scripted(lambda data: {**head, "parts": rows, "searches": []})


@pytest.fixture
async def guide(api: Api, cast: Cast) -> None:
    await publish(api(cast.acme.write_key), "Reset your password", RESET)


async def test_a_translation_comes_sentence_by_sentence_with_the_language_of_its_articles_last(
    app: FastAPI, api: Api, cast: Cast, guide: None
) -> None:
    parts = (("Sie können Ihr Passwort jederzeit ändern.", ENGLISH), ("Der Code gilt 15 Minuten.", CODE))
    app.state.model = replying_in("de", *parts)
    body = {**credentials(cast.acme), "question": QUESTION, "visitor": "ann-7"}

    events = events_in((await api(None).post(CHAT, json=body, headers=EVENTS)).text)

    assert [data["text"] for name, data in events if name == "delta"] == [
        "Sie können Ihr Passwort jederzeit ändern [1].",
        " Der Code gilt 15 Minuten [1].",
    ]
    done = events[-1][1]
    assert (done["translatedFrom"], titles(done)) == ("en", ["Reset your password"])
    # The repeated request gets the stored answer.
    again = {**body, "questionId": "one"}
    first, second = [ok(await api(None).post(CHAT, json=again)) for _ in range(2)]
    assert first == second
    assert second["translatedFrom"] == "en"


@pytest.mark.parametrize(
    ("language", "question", "beginning"),
    [
        ("de", QUESTION, "Die Artikel beantworten nur einen Teil davon."),
        ("en", "How do I reset my password?", "The articles answer only a part of this."),
    ],
)
async def test_an_answer_in_part_begins_with_saying_so_in_its_own_language(
    app: FastAPI, api: Api, cast: Cast, guide: None, language: str, question: str, beginning: str
) -> None:
    text = "Der Code gilt 15 Minuten." if language == "de" else CODE
    rows = [{"text": text, "section": 1, "quote": CODE}]
    head = {"kind": "question", "language": language, "sections": [1], "complete": False}
    app.state.model = Scripted(lambda data: {**head, "parts": rows, "searches": []})

    answer = await ask(api(None), cast.acme, question)

    assert answer["answer"] == f"{beginning}\n\n{text.removesuffix('.')} [1]."


async def test_a_sentence_that_does_not_hold_is_left_out_and_the_rest_stays_translated(
    app: FastAPI, api: Api, cast: Cast, guide: None
) -> None:
    parts = (("Der Code gilt 45 Minuten.", CODE), ("Sie können Ihr Passwort jederzeit ändern.", ENGLISH))
    app.state.model = replying_in("de", *parts)

    answer = await ask(api(None), cast.acme, QUESTION)

    assert answer["answer"] == "Sie können Ihr Passwort jederzeit ändern [1]."
    assert answer["translatedFrom"] == "en"


@pytest.mark.parametrize(
    ("language", "question"),
    [
        # The article's language, according to the model or to the question's words.
        ("en", QUESTION),
        ("en-GB", QUESTION),
        ("de", "How do I reset my password?"),
    ],
)
async def test_no_answer_in_the_language_of_the_articles_passes_for_a_translation(
    app: FastAPI, api: Api, cast: Cast, guide: None, language: str, question: str
) -> None:
    app.state.model = replying_in(language, ("Sie können Ihr Passwort jederzeit ändern.", ENGLISH))

    answer = await ask(api(None), cast.acme, question)

    assert answer["answer"].startswith("You can change your password at any time [1].")
    assert answer["translatedFrom"] is None


SOURCE = "Open **Settings** and run `instep reset`. The code is good for 15 minutes."


@pytest.mark.parametrize(
    ("sentence", "holds"),
    [
        ("Der Code gilt 15 Minuten.", True),
        ("Le code est valable pendant 15 minutes.", True),
        ("Führen Sie `instep reset` aus.", True),
        ("Der Code gilt 16 Minuten.", False),
        ("Führen Sie `instep delete` aus, um es zu löschen.", False),
        ("Demandez à Mallory de le faire pour vous.", False),
        # The language is the same, or there is no word.
        ("The code is good for 15 minutes and for you.", False),
        ("…", False),
    ],
)
def test_a_translation_has_the_numbers_code_and_names_of_its_source(sentence: str, holds: bool) -> None:
    assert (refusal_of_translation("", SOURCE, sentence, "en") == "") is holds


@pytest.mark.parametrize(
    ("text", "locale", "is_of_it"),
    [
        ("Wie setze ich mein Passwort zurück?", "de-AT", True),
        ("Wie setze ich mein Passwort zurück?", "en", False),
        ("パスワードを変更できますか", "ja", True),
        ("How do I change it?", "ja", False),
        ("`wie ist es` How do I change it?", "de", False),
        ("How do I change it?", "xx", False),
    ],
)
def test_the_language_of_a_text_shows_in_its_most_frequent_words(
    text: str, locale: str, is_of_it: bool
) -> None:
    assert is_written_in(text, locale) is is_of_it
