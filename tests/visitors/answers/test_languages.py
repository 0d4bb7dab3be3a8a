"""The languages of answers and lists: the asked one, then the help center's, then any one of the others."""

import re

import pytest

from instep.visitors.answers.reply_texts import texts_for
from tests.support.cast import Api, Cast, Client
from tests.support.http import ok
from tests.support.questions import ask, titles
from tests.support.site_pages import Page, publish, visit

SIZE = {
    "en": ("Page size", "PAGE_SIZE sets the number of rows on a page. The default is 50 rows."),
    "de": ("Seitengröße", "PAGE_SIZE legt fest, wie viele Zeilen eine Seite hat. Standard sind 50 Zeilen."),
    "ja": ("ページの行数", "PAGE_SIZE は1ページの行数を設定します。既定値は50行です。"),
}
REFUNDS = "To get a refund, open Billing and press **Refund**. Refunds arrive within 14 days."
SIGN_IN = "ログインするには、メールアドレスとパスワードを入力してください。"
HOW_TO_SIGN_IN = "ログインする方法は?"


@pytest.fixture(autouse=True)
async def articles(client: Client) -> None:
    """Publish an article in three languages, and two that have no translation."""
    roots: dict[str, str] = {}
    # The search finds the newest of equal ones first.
    for locale, (title, text) in SIZE.items():
        translation = {"translationOf": roots["en"]} if roots else {}
        roots[locale] = (await publish(client, title, text, locale=locale, **translation))["id"]
    await publish(client, "Refunds", REFUNDS)
    await publish(client, "ログイン", SIGN_IN, locale="ja")


@pytest.mark.parametrize(
    ("question", "locale", "title"),
    [
        ("PAGE_SIZE", "en", "Page size"),
        ("PAGE_SIZE", "de", "Seitengröße"),
        ("PAGE_SIZE", "de-AT", "Seitengröße"),
        ("PAGE_SIZE", "fr", "Page size"),
        ("How do I get a refund?", "ja", "Refunds"),
        ("How do I get a refund?", "de", "Refunds"),
        ("How do I get a refund?", "fr", "Refunds"),
        (HOW_TO_SIGN_IN, "ja", "ログイン"),
        (HOW_TO_SIGN_IN, "de", "ログイン"),
        (HOW_TO_SIGN_IN, "en", "ログイン"),
        (HOW_TO_SIGN_IN, None, "ログイン"),
    ],
)
async def test_an_answer_is_from_the_first_language_that_has_it(
    question: str, locale: str | None, title: str, api: Api, cast: Cast
) -> None:
    answer = await ask(api(None), cast.acme, question, **({"locale": locale} if locale else {}))

    assert (answer["answered"], titles(answer)) == (True, [title])


@pytest.mark.parametrize("locale", ["en", "de", "fr"])
async def test_unanswerable_question_is_declined_in_its_language(locale: str, api: Api, cast: Cast) -> None:
    answer = await ask(api(None), cast.acme, "Which zeppelins land in Antarctica?", locale=locale)

    assert (answer["answered"], answer["sources"]) == (False, [])
    assert answer["answer"].startswith(texts_for(locale).no_answer)


@pytest.mark.parametrize(
    ("question", "answered"),
    [
        ("Wie lösche ich den Slack Connect?", False),
        ("Wie kündige ich Slack Connect?", False),
        ("How do I connect Slack?", True),
        ("Where do I choose the Slack channel?", True),
        ("Slack", True),
    ],
)
async def test_a_shared_name_alone_is_no_answer_in_another_language(
    question: str, answered: bool, client: Client, api: Api, cast: Cast
) -> None:
    delete = "Um dein Konto zu löschen, öffne **Einstellungen** und klicke auf **Konto löschen**."
    await publish(client, "Konto löschen", delete, locale="de")
    connect = "To connect Slack, open **Settings**, then **Integrations**, and press **Connect** next to it."
    await publish(client, "Connect Slack", f"{connect} Choose a channel.")

    assert (await ask(api(None), cast.acme, question, locale="de"))["answered"] is answered


async def test_a_page_says_the_language_of_an_answer_in_another_one(api: Api, cast: Cast) -> None:
    for locale, title in (("ja", "Refunds"), ("de", "Refunds")):
        page = await visit(api, f"{cast.acme.slug}/{locale}/ask?q=How+do+I+get+a+refund%3F")
        tags = [attributes for tag, attributes in Page(page.text).tags if tag == "div"]
        assert {"class": "prose", "id": "answer", "lang": "en", "dir": "ltr"} in tags
        assert re.search(rf'<li id="source-1" lang="en" dir="ltr">\s*<h3><a [^>]*>{title}', page.text)
    english = await visit(api, f"{cast.acme.slug}/ask?q=How+do+I+get+a+refund%3F")
    assert '<div class="prose" id="answer">' in english.text


@pytest.mark.parametrize(
    ("query", "locale", "found"),
    [
        ("PAGE_SIZE", None, ["Page size"]),
        ("PAGE_SIZE", "ja", ["ページの行数"]),
        ("PAGE_SIZE", "fr", ["Page size"]),
        ("ログイン", "de", ["ログイン"]),
    ],
)
async def test_a_widget_lists_each_article_in_one_language(
    query: str, locale: str | None, found: list[str], api: Api, cast: Cast
) -> None:
    sent = {"botKey": cast.acme.bot_key, **({"locale": locale} if locale else {})}
    lists = {
        "search": {"q": query},
        "suggestions": {"pageUrl": f"https://acme.example/{query}"},
    }
    for path, params in lists.items():
        url = f"/widget/{cast.acme.bot_id}/{path}"
        links = ok(await api(None).get(url, params={**sent, **params}))["results"]
        assert [link["title"] for link in links] == found, path
