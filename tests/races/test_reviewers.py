"""Two reviewers at two processes decide one draft: one succeeds, and each version has the right text."""

from asyncio import gather
from collections.abc import Awaitable, Callable

import httpx2
import pytest

from tests.races.conftest import Call
from tests.races.revisions import read_revisions
from tests.support.cast import Client, Json
from tests.support.http import all_pages, at_once, create_article, created, error, ok

# Articles under review at the same time; the drafts of each are decided one after another.
ARTICLES = 5
FIRST = "The first text."
drafts_of_each = pytest.mark.parametrize("drafts", [4, pytest.param(200, marks=pytest.mark.races)])

Race = Callable[["Article", Json, int], Awaitable[None]]


class Article:
    """An article under review and the text of each of its versions."""

    def __init__(self, client: Client, row: Json) -> None:
        self.client = client
        self.path = f"/v1/articles/{row['id']}"
        self.texts = [FIRST]

    async def is_as_told(self) -> None:
        now = ok(await self.client.get(self.path))
        assert (now["version"], now["contentMarkdown"]) == (len(self.texts), self.texts[-1])

    async def has_its_revisions(self) -> None:
        revisions = await read_revisions(self.client, self.path)
        newest_first = list(enumerate(self.texts, start=1))[-2::-1][:50]
        assert [(row["version"], row["contentMarkdown"]) for row in revisions] == newest_first


@drafts_of_each
async def test_one_of_two_who_apply_wins_with_the_text_that_she_sent(caller: Call, drafts: int) -> None:
    ann, bob = await caller(0), await caller(1)

    async def race(article: Article, draft: Json, number: int) -> None:
        path = f"/v1/drafts/{draft['id']}/apply"
        texts = {who: f"{who}'s text {number}." for who in ("Ann", "Bob")}
        hers, his = await in_turns(
            number,
            lambda: ann.post(path, json={"contentMarkdown": texts["Ann"]}),
            lambda: bob.post(path, json={"contentMarkdown": texts["Bob"]}),
        )
        assert is_won(hers, "applied") is not is_won(his, "applied")
        article.texts.append(texts["Ann" if hers.status_code == 200 else "Bob"])

    await review(caller, drafts, race)


@drafts_of_each
async def test_applying_and_dismissing_at_two_processes_has_one_winner(caller: Call, drafts: int) -> None:
    ann, bob = await caller(0), await caller(1)

    async def race(article: Article, draft: Json, number: int) -> None:
        path = f"/v1/drafts/{draft['id']}"
        applied, dismissed = await in_turns(
            number,
            lambda: ann.post(f"{path}/apply", json={}),
            lambda: bob.post(f"{path}/dismiss"),
        )
        assert is_won(applied, "applied") is not is_won(dismissed, "dismissed")
        status = "applied" if applied.status_code == 200 else "dismissed"
        assert ok(await bob.get(path))["status"] == status
        if status == "applied":
            article.texts.append(draft["contentMarkdown"])

    await review(caller, drafts, race)


@drafts_of_each
async def test_an_applied_text_and_a_saved_one_both_become_versions(caller: Call, drafts: int) -> None:
    ann, bob = await caller(0), await caller(1)

    async def race(article: Article, draft: Json, number: int) -> None:
        text = f"Saved {number}."
        applied, save_answer = await in_turns(
            number,
            lambda: ann.post(f"/v1/drafts/{draft['id']}/apply", json={"onConflict": "overwrite"}),
            lambda: bob.patch(article.path, json={"contentMarkdown": text}),
        )
        assert is_won(applied, "applied")
        both = [text, draft["contentMarkdown"]]
        was_first = ok(save_answer)["version"] == len(article.texts) + 1
        article.texts += both if was_first else both[::-1]

    await review(caller, drafts, race)


async def review(caller: Call, drafts: int, race: Race) -> None:
    """Run the race for each draft of each article and check the article after each."""
    author = await caller(2)

    async def review_article(number: int) -> None:
        row = await create_article(author, f"Article {number}", contentMarkdown=FIRST)
        article = Article(author, row)
        for draft_number in range(drafts):
            body = {"contentMarkdown": f"Proposed {draft_number}."}
            draft = created(await author.post(f"{article.path}/drafts", json=body))
            await race(article, draft, draft_number)
            await article.is_as_told()
        await article.has_its_revisions()

    await at_once(ARTICLES, review_article)
    assert await all_pages(author, "/v1/drafts") == []


async def in_turns(
    number: int,
    first_call: Callable[[], Awaitable[httpx2.Response]],
    second_call: Callable[[], Awaitable[httpx2.Response]],
) -> tuple[httpx2.Response, httpx2.Response]:
    """The answers of two concurrent calls; the two alternate in who sends first."""
    if number % 2:
        second, first = await gather(second_call(), first_call())
        return first, second
    first, second = await gather(first_call(), second_call())
    return first, second


def is_won(answer: httpx2.Response, status: str) -> bool:
    """True if this call settled the draft; otherwise checks that the refusal says another one did."""
    if answer.status_code == 200:
        assert answer.json()["status"] == status
        return True
    assert error(answer) == (400, "draft_not_pending")
    return False
