"""A question that the articles do not answer is counted under its meaning."""

import re

import pytest

from instep.accounts.workspaces.actions import pause_workspace
from instep.platform.core.database import Database, Tx
from instep.visitors.insights.actions import log_unanswered
from instep.visitors.insights.schemas import Nearest
from tests.support.cast import Api, Cast
from tests.support.commands import Operator
from tests.support.http import ID, TIMESTAMP, at_once, create_article, ok
from tests.support.questions import ask as ask_chat
from tests.support.site_pages import publish
from tests.support.unanswered import LIST, RESET, ask, questions, unanswered
from tests.support.visitors import visiting


async def test_a_question_is_listed_as_it_was_asked(api: Api, cast: Cast, database: Database) -> None:
    client = api(cast.acme.write_key)
    near, far = [await create_article(client, title) for title in ("Sign in", "Install")]
    nearest = [Nearest(far["id"], 0.25), Nearest(near["id"], 0.5), Nearest("art_gone", 0.75)]

    question_id = await ask(database, cast.acme, "  How do I reset\n my password? ", nearest=nearest)

    (row,) = await unanswered(client)
    assert TIMESTAMP.fullmatch(row["firstAskedAt"])
    assert row == {
        "id": question_id,
        "question": RESET,
        "examples": [RESET],
        "askedCount": 1,
        "visitorCount": 1,
        "status": "open",
        "draftId": None,
        "nearestArticles": [
            {"articleId": near["id"], "title": "Sign in", "score": 0.5},
            {"articleId": far["id"], "title": "Install", "score": 0.25},
        ],
        "locale": "en",
        "firstAskedAt": row["firstAskedAt"],
        "lastAskedAt": row["firstAskedAt"],
    }
    assert re.fullmatch(f"q{ID}", question_id)


SAME = [
    (RESET, "how can I RESET my passwords", "en"),
    (RESET, "password reset", "en"),
    (RESET, "I forgot my password, how do I reset it?", "en"),
    ("Why can't I log in?", "why can\u2019t I log in", "en"),
    ("Wie setze ich mein Passwort zurück?", "mein passwort zurücksetzen: wie setze ich es zurück", "de"),
    ("Où sont mes factures ?", "où est ma facture", "fr"),
    ("如何重置密码", "如何重置密码?", "zh-Hans"),
    ("パスワードを変更したい", "パスワードを変更", "ja"),
    ("Как сбросить пароль?", "сбросить пароли как", "ru"),
    ("What is it?", "what IS it", "en"),
    ("???", " ??? ", "en"),
    ("😀", "😀", "en"),
    ("`max_upload_mb` default", "default of max_upload_mb", "xx"),
]


@pytest.mark.parametrize(("one", "other", "locale"), SAME)
async def test_wordings_of_one_meaning_are_one_question(
    api: Api, cast: Cast, database: Database, one: str, other: str, locale: str
) -> None:
    first = await ask(database, cast.acme, one, locale=locale)
    second = await ask(database, cast.acme, other, locale=locale)

    assert first == second
    assert await questions(api(cast.acme.read_key)) == [(one, 2)]


DIFFERENT = [
    (RESET, "How do I change my email address?", "en"),
    ("How do I log in?", "How do I log out?", "en"),
    (
        "How do I turn on email notifications for Slack?",
        "How do I turn off email notifications for Slack?",
        "en",
    ),
    ("How can I pay by credit article?", "Why can't I pay by credit article?", "en"),
    ("Why do I get error 403 when I upload a file?", "Why do I get error 404 when I upload a file?", "en"),
    ("How do I import all my contacts as CSV?", "How do I export all my contacts as CSV?", "en"),
    ("如何重置密码", "如何删除帐户", "zh-Hans"),
]


@pytest.mark.parametrize(("one", "other", "locale"), DIFFERENT)
async def test_questions_that_mean_something_else_stay_apart(
    api: Api, cast: Cast, database: Database, one: str, other: str, locale: str
) -> None:
    assert await ask(database, cast.acme, one, locale=locale) != await ask(
        database, cast.acme, other, locale=locale
    )
    assert len(await unanswered(api(cast.acme.read_key))) == 2


async def test_a_question_belongs_to_its_language_and_its_bot(
    api: Api, cast: Cast, database: Database
) -> None:
    ids = {
        await ask(database, cast.acme),
        await ask(database, cast.acme, locale="de"),
        await ask(database, cast.globex),
    }

    assert len(ids) == 3
    assert {row["locale"] for row in await unanswered(api(cast.acme.read_key))} == {"en", "de"}
    assert await questions(api(cast.globex.read_key)) == [(RESET, 1)]


async def test_question_joins_the_most_similar_one(api: Api, cast: Cast, database: Database) -> None:
    await ask(database, cast.acme, "reset password")
    wanted = await ask(database, cast.acme, "reset password twice daily automatically")

    assert await ask(database, cast.acme, "reset password twice daily") == wanted


async def test_visitors_are_counted_once_and_never_kept(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    for visitor in ("ann@example.com", "bob@example.com", "ann@example.com"):
        first = await ask(database, cast.acme, visitor=visitor)
    other = await ask(database, cast.acme, "Where is my invoice?", visitor="ann@example.com")

    rows = {
        row["id"]: (row["askedCount"], row["visitorCount"])
        for row in await unanswered(api(cast.acme.read_key))
    }
    assert rows == {first: (3, 2), other: (1, 1)}
    # The same visitor has a different hash in each question.
    of = "select count(distinct visitor_hash) from askings where question_id = any(%(ids)s)"
    assert await owner.value(of, ids=[first, other]) == 3
    assert await owner.value("select count(*) from askings a where a::text like '%%example%%'") == 0


async def test_examples_are_the_first_five_different_wordings(
    api: Api, cast: Cast, database: Database
) -> None:
    wordings = [
        "Reset my password",
        "reset MY password",
        *(f"{'please ' * n}reset my password" for n in range(1, 7)),
    ]
    for wording in wordings:
        await ask(database, cast.acme, wording)

    (row,) = await unanswered(api(cast.acme.read_key))
    assert row["examples"] == [wordings[0], *wordings[2:6]]
    assert (row["question"], row["askedCount"]) == (wordings[0], len(wordings))


async def test_the_nearest_articles_are_those_of_the_last_time_that_still_exist(
    api: Api, cast: Cast, database: Database
) -> None:
    client = api(cast.acme.write_key)
    one, two = [await create_article(client, title) for title in ("One", "Two")]
    await ask(database, cast.acme, nearest=[Nearest(one["id"], 0.9)])
    await ask(database, cast.acme, nearest=[Nearest(one["id"], 0.4), Nearest(two["id"], 0.3)])
    await ask(database, cast.acme)
    ok(await client.patch(f"/v1/articles/{two['id']}", json={"title": "Second"}))
    ok(await client.delete(f"/v1/articles/{one['id']}"))

    (row,) = await unanswered(client)
    assert row["nearestArticles"] == [{"articleId": two["id"], "title": "Second", "score": 0.3}]


async def test_a_paused_workspace_goes_on_counting(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    await pause_workspace(owner, cast.acme.workspace_id)

    await ask(database, cast.acme)

    assert await questions(api(cast.acme.read_key)) == [(RESET, 1)]


async def test_logged_question_is_rolled_back_with_its_transaction(
    api: Api, cast: Cast, database: Database
) -> None:
    with pytest.raises(ZeroDivisionError):
        await fail_after_asking(database, cast)

    assert ok(await api(cast.acme.read_key).get(LIST))["results"] == []


async def fail_after_asking(database: Database, cast: Cast) -> None:
    async with visiting(database, cast.acme) as ctx:
        await log_unanswered(ctx, RESET, "ann", "en", [])
        raise ZeroDivisionError


FIRST, FOLLOW_UP = "Do you sell zeppelins?", "And do you rent green gliders to children?"


async def ask_with_follow_up(api: Api, cast: Cast) -> None:
    """Ann asks two questions in vain; the second follows up on the first."""
    client = api(cast.acme.write_key)
    await publish(client, "Reset your password", "Open **Settings**.")
    first = await ask_chat(api(None), cast.acme, FIRST)
    second = await ask_chat(api(None), cast.acme, FOLLOW_UP, conversationId=first["conversationId"])
    assert [first["answered"], second["answered"]] == [False, False]


async def test_a_follow_up_is_listed_in_its_own_words_and_erased_with_its_visitor(
    api: Api, cast: Cast, operator: Operator
) -> None:
    client = api(cast.acme.read_key)
    await ask_with_follow_up(api, cast)
    wordings = {wording for row in await unanswered(client) for wording in row["examples"]}

    await operator.json("visitor", "erase", "--visitor", "ann-7", "--workspace", cast.acme.workspace_id)

    assert wordings == {FIRST, FOLLOW_UP}
    assert await unanswered(client, status="all") == []


async def test_the_same_follow_up_of_different_questions_is_not_the_same_question(
    api: Api, cast: Cast
) -> None:
    client = api(cast.acme.read_key)
    await ask_with_follow_up(api, cast)
    parking = await ask_chat(api(None), cast.acme, "Can I park at your factory?", visitor="bob")
    await ask_chat(api(None), cast.acme, FOLLOW_UP, visitor="bob", conversationId=parking["conversationId"])

    rows = await unanswered(client)
    assert [row["visitorCount"] for row in rows if FOLLOW_UP in row["examples"]] == [1, 1]


async def test_a_follow_up_that_was_kept_behind_its_question_is_erased_with_its_visitor(
    api: Api, cast: Cast, database: Database, operator: Operator
) -> None:
    client = api(cast.acme.read_key)
    await ask_with_follow_up(api, cast)
    await ask(database, cast.acme, f"{FIRST} {FOLLOW_UP}", visitor="ann-7")
    await ask(database, cast.acme, f"Can I park here? {FOLLOW_UP}", visitor="bob")

    await operator.json("visitor", "erase", "--visitor", "ann-7", "--workspace", cast.acme.workspace_id)

    assert await questions(client, status="all") == [(f"Can I park here? {FOLLOW_UP}", 1)]


async def test_many_concurrent_askings_are_counted_in_one_question(
    api: Api, cast: Cast, database: Database
) -> None:
    wordings = [RESET, "password reset", "reset passwords", "How can I reset a password?"]

    ids = await at_once(
        40, lambda number: ask(database, cast.acme, wordings[number % 4], visitor=f"visitor {number % 10}")
    )

    assert len(set(ids)) == 1
    (row,) = await unanswered(api(cast.acme.read_key))
    assert (row["askedCount"], row["visitorCount"], len(row["examples"])) == (40, 10, 4)


# Too long for an index, even when compressed.
LONG_WORD = "".join(chr(0x400 + number * number % 251) for number in range(2_000))
EMOJI = "".join(chr(0x1F300 + number * number % 251) for number in range(2_000))


@pytest.mark.parametrize(
    "question",
    ["x" * 50_000, "a'b\"c\\ %s {0}", "n" * 40_000 + "'t", "\u202e\u200b", "ß İ \ufb01", LONG_WORD, EMOJI],
)
async def test_odd_questions_are_questions(api: Api, cast: Cast, database: Database, question: str) -> None:
    for _ in range(2):
        await ask(database, cast.acme, question, visitor=question)

    assert [count for _, count in await questions(api(cast.acme.read_key))] == [2]
