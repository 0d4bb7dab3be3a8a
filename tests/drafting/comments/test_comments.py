"""Comments on drafts, places and articles over REST: threads, mentions, and permissions."""

from asyncio import gather

import pytest

from instep.drafting.comments.actions import mentioned_names
from instep.platform.core.database import Database, Tx
from instep.platform.identity.scopes import Role
from tests.support.cast import Api, Cast, Client, Json, RunJobs
from tests.support.http import body_of, error, ok
from tests.support.inbox import notices
from tests.support.limits import SetLimit
from tests.support.mail_server import MailServer, html_of, text_of
from tests.support.places import open_place
from tests.support.sign_in import sign_up

QUESTION = {"body": "Is this still beta?"}


@pytest.fixture
async def article(client: Client) -> Json:
    body = {"title": "Install", "contentMarkdown": "Run it."}
    article: Json = body_of(await client.post("/v1/articles", json=body))
    return ok(await client.post(f"/v1/articles/{article['id']}/publish"))


@pytest.fixture
async def draft(client: Client, article: Json) -> Json:
    body = {"contentMarkdown": "Run it twice."}
    return body_of(await client.post(f"/v1/articles/{article['id']}/drafts", json=body))


async def comment(client: Client, subject: str, **body: str) -> Json:
    answer = await client.post(f"/v1/comments?subject={subject}", json={**QUESTION, **body})
    assert answer.status_code == 201, answer.text
    return body_of(answer)


async def comments(client: Client, subject: str) -> list[Json]:
    rows: list[Json] = ok(await client.get(f"/v1/comments?subject={subject}"))["results"]
    return rows


async def test_a_comment_has_the_fields_of_the_contract(client: Client, draft: Json) -> None:
    first = await comment(client, draft["id"], block="Run it")

    assert first.keys() == {
        *("id", "subject", "block", "body", "author", "resolvedAt", "replyTo", "createdAt", "editedAt"),
    }
    assert first["id"].startswith("cmt_")
    assert (first["subject"], first["block"], first["replyTo"]) == (draft["id"], "Run it", None)
    assert await comments(client, draft["id"]) == [first]


async def test_drafts_places_and_articles_have_comments_of_their_own(
    client: Client, cast: Cast, database: Database, draft: Json, article: Json
) -> None:
    place = await open_place(client, database, cast.acme)
    for subject in (draft["id"], place["id"], article["id"]):
        await comment(client, subject, body=f"About {subject}")

    for subject in (draft["id"], place["id"], article["id"]):
        assert [row["body"] for row in await comments(client, subject)] == [f"About {subject}"]
    # The slug identifies an article too.
    assert len(await comments(client, article["slug"])) == 1


async def test_a_thread_is_resolved_and_reopened_as_a_whole(client: Client, draft: Json) -> None:
    first = await comment(client, draft["id"])
    reply = await comment(client, draft["id"], replyTo=first["id"], body="No.")

    resolved = ok(await client.post(f"/v1/comments/{first['id']}/resolve"))
    assert resolved["resolvedAt"] is not None
    assert error(await client.post(f"/v1/comments/{first['id']}/resolve")) == (400, "invalid_state")
    assert error(await client.post(f"/v1/comments/{reply['id']}/resolve")) == (400, "invalid_state")

    assert ok(await client.post(f"/v1/comments/{first['id']}/reopen"))["resolvedAt"] is None


async def test_one_of_two_people_who_resolve_a_thread_at_once_succeeds(
    api: Api, cast: Cast, client: Client, draft: Json, owner: Tx
) -> None:
    other = api(cast.wide_key)
    for verb in ("resolve", "reopen") * 10:
        if verb == "resolve":
            first = await comment(client, draft["id"])
        path = f"/v1/comments/{first['id']}/{verb}"
        answers = await gather(client.post(path), other.post(f"{path}?bot_id={cast.acme.bot_id}"))
        assert sorted(answer.status_code for answer in answers) == [200, 400]
        [refusal] = [answer for answer in answers if answer.status_code == 400]
        assert error(refusal) == (400, "invalid_state")
    audited = await owner.value(
        "select count(*) from audit_entries where bot_id = %(bot)s and action like '%%_comment'",
        bot=cast.acme.bot_id,
    )
    assert audited == 30


@pytest.mark.parametrize(
    "body",
    [
        {"body": ""},
        {"body": "x" * 5_001},
        {"body": "Yes.", "block": "x" * 501},
        {"body": "Yes.", "replyTo": "cmt_00000000000000000000000000"},
    ],
)
async def test_invalid_comments_are_refused(client: Client, draft: Json, body: dict[str, str]) -> None:
    answer = await client.post(f"/v1/comments?subject={draft['id']}", json=body)

    assert error(answer)[0] == 400
    assert await comments(client, draft["id"]) == []


async def test_a_reply_stays_with_the_subject_and_the_words_of_its_thread(
    client: Client, draft: Json, article: Json
) -> None:
    first = await comment(client, article["id"])
    for subject, more in ((draft["id"], {}), (article["id"], {"block": "Run it"})):
        body = {"body": "Yes.", "replyTo": first["id"], **more}
        answer = await client.post(f"/v1/comments?subject={subject}", json=body)
        assert error(answer) == (400, "invalid_request")


async def test_only_the_author_deletes_a_comment_and_its_replies_go_too(
    client: Client, api: Api, cast: Cast, draft: Json
) -> None:
    first = await comment(client, draft["id"])
    await comment(client, draft["id"], replyTo=first["id"], body="No.")

    other = api(cast.wide_key)
    answer = await other.delete(f"/v1/comments/{first['id']}?bot_id={cast.acme.bot_id}")
    assert error(answer) == (400, "invalid_state")
    ok(await client.delete(f"/v1/comments/{first['id']}"))

    assert await comments(client, draft["id"]) == []


async def test_only_the_author_edits_a_comment_and_newly_named_members_are_notified(
    client: Client, api: Api, cast: Cast, owner: Tx, draft: Json, set_limit: SetLimit
) -> None:
    ann = await sign_up(owner, cast.acme.workspace_id, Role.EDITOR)
    bob = await sign_up(owner, cast.acme.workspace_id, Role.EDITOR)
    first = await comment(client, draft["id"], body=f"@{ann.email} Is it so?")
    address = f"/v1/comments/{first['id']}"
    named = {"body": f"@{ann.email} @{bob.email} Is it so?"}

    other = await api(cast.wide_key).patch(f"{address}?bot_id={cast.acme.bot_id}", json=named)
    assert error(other) == (400, "invalid_state")
    for _ in range(2):
        edited = ok(await client.patch(address, json=named))
        assert edited == {**first, **named, "editedAt": edited["editedAt"]}
    assert first["editedAt"] is None
    assert edited["editedAt"] > first["createdAt"]
    assert await comments(client, draft["id"]) == [edited]
    assert [await notices(owner, person.id) for person in (ann, bob)] == [[("mentioned", draft["id"])]] * 2

    set_limit("MAX_COMMENT_EDITS", 1)
    assert error(await client.patch(address, json={"body": "No."})) == (400, "invalid_state")
    earlier = await owner.value("select earlier from comments where id = %(id)s", id=first["id"])
    assert [row["body"] for row in earlier] == [first["body"]]


async def test_another_company_neither_reads_nor_writes_them(
    client: Client, api: Api, cast: Cast, draft: Json
) -> None:
    first = await comment(client, draft["id"])
    stranger = api(cast.globex.write_key)

    assert error(await stranger.get(f"/v1/comments?subject={draft['id']}")) == (404, "not_found")
    answer = await stranger.post(f"/v1/comments?subject={draft['id']}", json=QUESTION)
    assert error(answer) == (404, "not_found")
    for verb in ("resolve", "reopen"):
        assert error(await stranger.post(f"/v1/comments/{first['id']}/{verb}")) == (404, "not_found")
    assert error(await stranger.patch(f"/v1/comments/{first['id']}", json=QUESTION)) == (404, "not_found")
    assert error(await stranger.delete(f"/v1/comments/{first['id']}")) == (404, "not_found")
    assert await comments(client, draft["id"]) == [first]


async def test_a_key_that_only_reads_can_not_comment(api: Api, cast: Cast, draft: Json) -> None:
    reader = api(cast.acme.read_key)

    answer = await reader.post(f"/v1/comments?subject={draft['id']}", json=QUESTION)

    assert error(answer) == (403, "insufficient_scope")


async def test_mentioned_members_are_notified_once_and_nobody_else(
    client: Client, cast: Cast, owner: Tx, draft: Json
) -> None:
    ann = await sign_up(owner, cast.acme.workspace_id, Role.EDITOR)
    bob = await sign_up(owner, cast.acme.workspace_id, Role.EDITOR)
    stranger = await sign_up(owner, cast.globex.workspace_id)
    name = ann.email.partition("@")[0]

    await comment(
        client, draft["id"], body=f"@{name} and @{ann.email}, see @{stranger.email}, me@{bob.email}"
    )

    assert await notices(owner, ann.id) == [("mentioned", draft["id"])]
    assert await notices(owner, bob.id) == []
    assert await notices(owner, stranger.id) == []


async def test_comments_go_with_their_article(client: Client, owner: Tx, article: Json, draft: Json) -> None:
    first = await comment(client, draft["id"])
    await owner.execute("delete from articles where id = %(id)s", id=article["id"])

    assert await owner.value("select count(*) from comments where id = %(id)s", id=first["id"]) == 0


def test_names_after_an_at_sign_are_read_whole_and_in_linear_time() -> None:
    assert mentioned_names("@Ann: ask @bob.smith@example.com. Not me@example.com, @@x") == [
        *("ann", "bob.smith@example.com"),
    ]
    assert mentioned_names("@" * 100_000 + "a" * 100_000) == []


async def test_mentioned_members_get_an_email_with_the_page_of_the_draft(
    client: Client, cast: Cast, owner: Tx, draft: Json, mail: MailServer, run_jobs: RunJobs
) -> None:
    ann = await sign_up(owner, cast.acme.workspace_id, Role.EDITOR)

    await comment(client, draft["id"], body=f"@{ann.email} Is this <b>still</b> beta?\r\nBcc: x@example.com")
    await run_jobs()

    [message] = mail.to(ann.email)
    assert f"/app/{cast.acme.slug}/review/{draft['id']}" in text_of(message)
    assert "Is this <b>still</b> beta?" in text_of(message)
    assert "<b>still" not in html_of(message)
    assert message["Bcc"] is None


async def test_nobodys_mailbox_is_flooded_with_mentions(
    client: Client,
    cast: Cast,
    owner: Tx,
    draft: Json,
    mail: MailServer,
    run_jobs: RunJobs,
    set_limit: SetLimit,
) -> None:
    set_limit("MAX_NOTICE_EMAILS_PER_HOUR", 2)
    ann = await sign_up(owner, cast.acme.workspace_id, Role.EDITOR)

    for _ in range(3):
        await comment(client, draft["id"], body=f"@{ann.email} Is it so?")
    await run_jobs()

    assert len(mail.to(ann.email)) == 2
    assert await notices(owner, ann.id) == [("mentioned", draft["id"])] * 3
