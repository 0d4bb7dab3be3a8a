"""Concurrent decisions: exactly one reviewer wins, and no text that was ever live is lost."""

from asyncio import gather
from collections.abc import Iterable
from itertools import product

import httpx2
import pytest

from instep.accounts.workspaces import actions
from instep.platform.core.database import Database, Tx
from instep.platform.identity.scopes import Scope
from tests.support.cast import Api, Cast, Client, Json
from tests.support.drafts import (
    AFTER,
    BEFORE,
    NewType,
    get,
    propose,
    queue,
    queue_new,
    revisions,
    text_of,
    write_article,
)

PAIRS = 50


@pytest.fixture
async def ann(api: Api, cast: Cast, owner: Tx) -> Client:
    return await reviewer(api, cast, owner, "Ann")


@pytest.fixture
async def bob(api: Api, cast: Cast, owner: Tx) -> Client:
    return await reviewer(api, cast, owner, "Bob")


async def reviewer(api: Api, cast: Cast, owner: Tx, name: str) -> Client:
    """A reviewer with their own key, and so their own rate limit."""
    new_key = await actions.create_key(owner, cast.acme.workspace_id, name, Scope.WRITE, [cast.acme.bot_id])
    return api(new_key.key)


async def test_one_of_two_reviewers_who_apply_at_once_wins(
    client: Client, article: Json, ann: Client, bob: Client
) -> None:
    for number in range(PAIRS):
        draft = await propose(client, article, f"Text {number}.")
        path = f"/v1/drafts/{draft['id']}/apply"

        answers = await gather(ann.post(path, json={}), bob.post(path, json={}))

        assert outcomes(answers) == ["applied", "draft_not_pending"]
    now = await get(ann, f"articles/{article['id']}")
    listed = await get(bob, f"articles/{article['id']}/revisions?page_size=100")
    assert (now["version"], len(listed["results"])) == (PAIRS + 1, PAIRS)


async def test_applying_and_dismissing_at_once_has_one_winner(
    client: Client, article: Json, ann: Client, bob: Client
) -> None:
    live = BEFORE
    for number in range(PAIRS // 2):
        draft = await propose(client, article, f"Text {number}.")
        path = f"/v1/drafts/{draft['id']}"

        answers = await gather(ann.post(f"{path}/apply", json={}), bob.post(f"{path}/dismiss"))

        winner, loser = outcomes(answers)
        assert (winner in ("applied", "dismissed"), loser) == (True, "draft_not_pending")
        live = f"Text {number}." if winner == "applied" else live
        assert await text_of(client, article) == live


async def test_an_edit_of_the_draft_is_applied_whole_or_refused(
    client: Client, article: Json, ann: Client, bob: Client
) -> None:
    for number in range(PAIRS // 2):
        draft = await propose(client, article, f"Text {number}.")
        path, better = f"/v1/drafts/{draft['id']}", f"Better {number}."

        applied, edited = await gather(
            ann.post(f"{path}/apply", json={}), bob.patch(path, json={"contentMarkdown": better})
        )

        assert applied.json()["status"] == "applied"
        expected = better if edited.status_code == 200 else f"Text {number}."
        assert await text_of(client, article) == expected
        assert edited.status_code == 200 or edited.json()["code"] == "draft_not_pending"


async def test_every_text_that_was_ever_live_is_the_present_one_or_a_revision(
    client: Client, article: Json, ann: Client, bob: Client
) -> None:
    texts = {BEFORE}
    for number in range(PAIRS // 2 - 1):
        draft = await propose(client, article, f"Proposed {number}.")
        mine = f"Mine {number}."

        answers = await gather(
            ann.post(f"/v1/drafts/{draft['id']}/apply", json={"onConflict": "overwrite"}),
            bob.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": mine}),
        )

        assert [answer.status_code for answer in answers] == [200, 200]
        texts |= {f"Proposed {number}.", mine}
    rows = await revisions(ann, article)
    assert {row["contentMarkdown"] for row in rows} | {await text_of(client, article)} == texts
    assert len(rows) == len(texts) - 1


async def test_many_drafts_of_one_article_applied_at_once_all_leave_their_text(
    client: Client, article: Json, ann: Client, bob: Client
) -> None:
    drafts = [await propose(client, article, f"Text {number}.") for number in range(6)]

    wish = {"onConflict": "overwrite"}

    await gather(
        *(
            reviewer.post(f"/v1/drafts/{d['id']}/apply", json=wish)
            for reviewer, d in product((ann, bob), drafts)
        )
    )

    texts = {row["contentMarkdown"] for row in await revisions(client, article)}
    assert texts | {await text_of(client, article)} == {BEFORE, *(f"Text {n}." for n in range(6))}
    assert await queue(client) == []


async def test_two_drafts_of_one_article_applied_at_once_are_both_kept(
    client: Client, ann: Client, bob: Client
) -> None:
    for number in range(PAIRS // 5):
        article = await write_article(client, f"Install {number}")
        renamed = await propose(client, article)
        shortened = await propose(client, article, BEFORE.replace("ten minutes", "a minute"))

        answers = await gather(
            ann.post(f"/v1/drafts/{renamed['id']}/apply", json={}),
            bob.post(f"/v1/drafts/{shortened['id']}/apply", json={}),
        )

        assert [answer.status_code for answer in answers] == [200, 200]
        assert await text_of(client, article) == AFTER.replace("ten minutes", "a minute")


@pytest.mark.parametrize("kind", ["new_article", "gap_draft"])
async def test_a_new_article_is_settled_once_whoever_does_what(
    client: Client, cast: Cast, database: Database, ann: Client, bob: Client, kind: NewType
) -> None:
    for number in range(5):
        draft_id = await queue_new(database, cast.acme, kind, f"Article {number}")
        article_id = (await get(client, f"drafts/{draft_id}"))["articleId"]
        steps = [
            ("POST", f"/v1/drafts/{draft_id}/apply", {"title": f"Applied {number}"}),
            ("POST", f"/v1/drafts/{draft_id}/dismiss", {}),
            ("PATCH", f"/v1/drafts/{draft_id}", {"title": f"Changed {number}"}),
            ("POST", f"/v1/articles/{article_id}/publish", {}),
            ("DELETE", f"/v1/articles/{article_id}", {}),
        ]
        requests = (steps[number:] + steps[:number]) * 4

        answers = await gather(
            *((ann, bob)[at % 2].request(m, path, json=body) for at, (m, path, body) in enumerate(requests))
        )

        refusal = {(answer.status_code, answer.json()["code"]) for answer in answers if answer.is_error}
        assert refusal <= {(400, "draft_not_pending"), (404, "not_found")}
        draft = await get(client, f"drafts/{draft_id}")
        assert draft["status"] in ("applied", "dismissed")
        assert settled_by(answers, draft_id) in ([], [draft["status"]])
        # One request deleted the article; whatever came first, nothing of the article is left.
        assert (await client.get(f"/v1/articles/{article_id}")).status_code == 404
        assert await queue(client) == []


async def test_one_of_twenty_who_apply_or_dismiss_a_new_article_wins(
    api: Api, cast: Cast, database: Database, ann: Client, bob: Client
) -> None:
    for number in range(4):
        draft_id = await queue_new(database, cast.acme, title=f"Article {number}")
        article_id = (await get(ann, f"drafts/{draft_id}"))["articleId"]
        paths = [f"/v1/drafts/{draft_id}/{('apply', 'dismiss')[(at + number) % 2]}" for at in range(20)]

        answers = await gather(*((ann, bob)[at // 10].post(path, json={}) for at, path in enumerate(paths)))

        [status] = [answer.json()["status"] for answer in answers if answer.status_code == 200]
        codes = [answer.json()["code"] for answer in answers if answer.status_code != 200]
        assert codes == ["draft_not_pending"] * 19
        assert (await get(ann, f"drafts/{draft_id}"))["status"] == status
        article_answer = await ann.get(f"/v1/articles/{article_id}")
        assert article_answer.json().get("status") == ("published" if status == "applied" else None)


def settled_by(answers: Iterable[httpx2.Response], draft_id: str) -> list[str]:
    """The statuses in the responses to applying or dismissing the draft."""
    bodies = [answer.json() for answer in answers if answer.url.path.endswith(("/apply", "/dismiss"))]
    return [body["status"] for body in bodies if body.get("id") == draft_id]


def outcomes(answers: Iterable[httpx2.Response]) -> list[str]:
    """The winner's status, then the loser's error code."""
    winner, loser = sorted(answers, key=lambda answer: answer.status_code)
    return [winner.json().get("status", winner.text), loser.json().get("code", loser.text)]
