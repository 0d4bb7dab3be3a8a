"""Edits of articles are written to files of another branch, and nothing else in the files changes."""

import pytest

from instep.drafting.drafts.pending import find_pending
from instep.platform.core.database import Database
from instep.transfer.git_sync.branch_edits import BranchEdits, edit_files, find_file_paths
from tests.support.articles import acting
from tests.support.cast import Cast, Client
from tests.support.file_samples import picture
from tests.support.http import created, ok
from tests.support.synced_repository import FOLDER, Repository, article_at
from tests.support.uploads import upload

A = "a.md"
HEAD = "\ufeff---\r\n# Ours\r\ntitle:   'A'  \r\ntags: [x]\r\n---\r\n"
BODY = "![](./img/a.png)  \r\n\r\nSet `ONE` in ![](img/a.png) or [B](b.md).\r\n\r\nMiddle\t\r\n\r\nEnd of *A*"
EDITED = BODY.replace("`ONE`", "`TWO`")


@pytest.fixture
async def repository(client: Client) -> Repository:
    repository = Repository(client)
    repository.assets["img/a.png"] = picture()
    await upload(client, picture(), "a.png")
    repository.write(A, HEAD + BODY)
    repository.write("b.md", "---\ntitle: B\n---\nText\n")
    await repository.sync()
    await repository.settle()
    return repository


async def propose(client: Client, old: str, new: str, **fields: str) -> str:
    text = (await article_at(client, "a"))["contentMarkdown"]
    assert old in text
    body = {"contentMarkdown": text.replace(old, new), **fields}
    draft_id: str = created(await client.post("/v1/articles/a/drafts", json=body))["id"]
    return draft_id


async def made(database: Database, cast: Cast, text: str, *draft_ids: str) -> BranchEdits:
    async with acting(database, cast.acme) as ctx:
        drafts = [await find_pending(ctx, draft_id) for draft_id in draft_ids]
        paths = await find_file_paths(ctx, FOLDER, [draft.article_id for draft in drafts])
        assert set(paths.values()) == {A}
        return await edit_files(ctx, FOLDER, "a" * 40, {A: text}, drafts)


async def test_only_the_edited_words_of_a_file_change(
    client: Client, database: Database, cast: Cast, repository: Repository
) -> None:
    draft_id = await propose(client, "`ONE`", "`TWO`")

    assert (await made(database, cast, HEAD + BODY, draft_id)).texts == {A: HEAD + EDITED}


async def test_lines_of_the_branch_and_of_instep_are_each_left_where_they_are(
    client: Client, database: Database, cast: Cast, repository: Repository
) -> None:
    text = (await article_at(client, "a"))["contentMarkdown"]
    await client.patch("/v1/articles/a", json={"contentMarkdown": f"Not in git\n\n{text}"})
    link = f"[B](/help/{cast.acme.slug}/articles/b)"
    draft_id = await propose(client, "`ONE`", f"`TWO` of {link}", title="A: new")
    branch = (HEAD + BODY).replace("Middle", "New [in](new.md) the branch")

    edited = branch.replace("  'A'  ", '"A: new"').replace("`ONE`", "`TWO` of [B](b.md)")
    assert (await made(database, cast, branch, draft_id)).texts == {A: edited}
    # The file already contains the edit.
    assert (await made(database, cast, edited, draft_id)).texts == {A: edited}


@pytest.mark.parametrize(
    ("branch", "words"),
    [
        ((HEAD + BODY).replace("`ONE`", "`THREE`"), "same lines"),
        ((HEAD + BODY).replace("title:   'A'", "title: Other"), "same lines"),
        (BODY, "no `title`"),
        (f"---\ntitle: [{'x' * 20_000}]\n---\n", "front matter"),
    ],
    ids=["text", "title", "no page", "unreadable"],
)
async def test_conflicting_edit_is_refused_and_changes_nothing(
    client: Client, database: Database, cast: Cast, repository: Repository, branch: str, words: str
) -> None:
    draft_id = await propose(client, "`ONE`", "`TWO`", title="New")
    edits = await made(database, cast, branch, draft_id)

    assert edits.texts == {A: branch}
    assert words in edits.refusals[draft_id]


async def test_an_approved_edit_that_git_brings_is_applied_and_an_open_one_is_not(
    client: Client, repository: Repository
) -> None:
    drafts = [await propose(client, "`ONE`", "`TWO`"), await propose(client, "`ONE`", "`TWO`")]
    other = await propose(client, "Middle", "Elsewhere")
    for draft_id in (drafts[0], other):
        ok(await client.post(f"/v1/drafts/{draft_id}/apply", json={"when": "release"}))
    repository.write(A, HEAD + EDITED)
    await repository.sync()

    statuses = [ok(await client.get(f"/v1/drafts/{name}"))["status"] for name in (*drafts, other)]
    assert statuses == ["applied", "pending", "pending"]
    await repository.settle()
