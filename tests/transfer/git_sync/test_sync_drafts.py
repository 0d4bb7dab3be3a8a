"""POST /v1/sync: edits from git that are pending as drafts, and the rest of their files."""

import pytest

from instep.platform.core.database import Database
from tests.support.articles import save_copy
from tests.support.cast import Cast, Client, Json
from tests.support.http import all_pages, error, ok
from tests.support.synced_repository import Repository, actions, article_at, page, patch, replace_in_article

A = "a.md"


@pytest.fixture
async def repository(client: Client) -> Repository:
    """A repository with one article, in sync."""
    repository = Repository(client)
    repository.write(A, page("A"))
    await repository.sync()
    await repository.settle()
    return repository


def put_value(repository: Repository, line: str) -> None:
    """Add a line to the front matter."""
    repository.edit(A, "title: A\n", f"title: A\n{line}\n")


async def edit_both(repository: Repository) -> None:
    """Change the same line on both sides."""
    repository.edit(A, "Two", "Deux")
    await replace_in_article(repository.client, "a", "Two", "Zwei")


async def only_draft(client: Client) -> Json:
    [draft] = await all_pages(client, "/v1/drafts")
    return ok(await client.get(f"/v1/drafts/{draft['id']}"))


async def settle_draft(client: Client, verdict: str) -> None:
    draft = await only_draft(client)
    body = {"onConflict": "overwrite"} if verdict == "apply" else {}
    ok(await client.post(f"/v1/drafts/{draft['id']}/{verdict}", json=body))


async def assert_conflict_is_seen(client: Client) -> None:
    draft = await only_draft(client)
    refused = await client.post(f"/v1/drafts/{draft['id']}/apply", json={})

    assert (draft["conflict"], error(refused)) == (True, (400, "conflict"))
    assert (await article_at(client, "a"))["contentMarkdown"] == "One\n\nZwei\n\nThree\n"


@pytest.mark.parametrize("line", ["description: About A.", "visibility: authenticated", "slug: a"])
async def test_an_edit_after_a_change_of_values_is_not_overwritten_unseen(
    client: Client, repository: Repository, line: str
) -> None:
    put_value(repository, line)
    await repository.sync()
    await edit_both(repository)
    await repository.sync()

    await assert_conflict_is_seen(client)


async def test_an_edit_that_git_has_not_had_yet_is_not_overwritten_unseen(
    client: Client, repository: Repository
) -> None:
    await replace_in_article(client, "a", "Two", "Zwei")
    await repository.sync(commits=False)
    repository.edit(A, "Two", "Deux")
    await repository.sync()

    await assert_conflict_is_seen(client)


async def test_drafts_in_other_lines_than_an_edit_are_merged_after_a_change_of_values(
    client: Client, repository: Repository
) -> None:
    put_value(repository, "visibility: authenticated")
    await repository.sync()
    repository.edit(A, "One", "Un")
    await replace_in_article(client, "a", "Three", "Drei")
    await repository.sync(drafts=True)

    draft = await only_draft(client)
    ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={}))

    assert draft["conflict"] is True
    assert (await article_at(client, "a"))["contentMarkdown"] == "Un\n\nTwo\n\nDrei\n"


@pytest.mark.parametrize("verdict", ["apply", "dismiss"])
@pytest.mark.parametrize("drafts", [False, True])
async def test_other_values_of_git_are_in_force_while_its_text_waits(
    client: Client, repository: Repository, verdict: str, drafts: bool
) -> None:
    put_value(repository, "visibility: authenticated\ndescription: Git's.\nstatus: draft")
    await edit_both(repository)

    [told] = (await repository.sync(drafts=drafts))["results"]
    article = await article_at(client, "a")
    await settle_draft(client, verdict)
    await repository.sync()

    assert (told["action"], article["contentMarkdown"]) == ("conflict", "One\n\nZwei\n\nThree\n")
    assert "waiting for review" in told["message"]
    assert (article["visibility"], article["description"], article["status"]) == (
        "authenticated",
        "Git's.",
        "draft",
    )
    head = "visibility: authenticated\ndescription: Git's.\nstatus: draft\n---\n"
    assert head + (await article_at(client, "a"))["contentMarkdown"] in repository.files[A]
    await repository.settle()


async def test_in_a_conflict_of_texts_and_values_the_values_of_instep_stay(
    client: Client, repository: Repository
) -> None:
    put_value(repository, "description: Git's.")
    await patch(client, "a", description="Instep's.")
    await edit_both(repository)

    [told] = (await repository.sync())["results"]
    await settle_draft(client, "dismiss")
    await repository.sync()

    assert "`description`" in told["message"]
    assert (await article_at(client, "a"))["description"] == "Instep's."
    assert "description: Instep's.\n" in repository.files[A]
    await repository.settle()


async def test_a_value_that_git_takes_back_while_its_text_waits_is_taken_back(
    client: Client, repository: Repository
) -> None:
    put_value(repository, "visibility: authenticated")
    repository.edit(A, "title: A", "title: Git's")
    await edit_both(repository)
    await repository.sync()
    repository.edit(A, "visibility: authenticated\n", "")
    await repository.sync()

    draft = await only_draft(client)
    article = await article_at(client, "a")
    await settle_draft(client, "apply")
    await repository.sync()

    assert (draft["title"], article["title"], article["visibility"]) == ("Git's", "A", "public")
    assert repository.files[A] == page("Git's", "One\n\nDeux\n\nThree\n")
    await repository.settle()


async def test_an_article_that_git_publishes_keeps_what_is_half_written(
    client: Client, repository: Repository, database: Database, cast: Cast
) -> None:
    await save_copy(database, cast.acme, "a", content="Half writ")
    ok(await client.post("/v1/articles/a/unpublish"))
    await repository.sync()
    repository.edit(A, "status: draft\n", "")

    await repository.sync()

    article = await article_at(client, "a")
    assert (article["status"], article["contentMarkdown"]) == ("published", "One\n\nTwo\n\nThree\n")
    assert article["hasUnpublishedChanges"] is True
    await repository.settle()
    published = ok(await client.post("/v1/articles/a/publish"))
    assert published["contentMarkdown"] == "Half writ"


@pytest.mark.parametrize("status", ["draft", "archived"])
async def test_with_drafts_no_article_goes_live(client: Client, repository: Repository, status: str) -> None:
    put_value(repository, f"status: {status}")
    await repository.sync()
    repository.edit(A, f"status: {status}\n", "description: Git's.\n")

    [told] = (await repository.sync(drafts=True))["results"]

    article = await article_at(client, "a")
    assert (article["status"], article["description"]) == (status, "Git's.")
    assert "nothing goes live" in told["message"]
    assert "status" not in repository.files[A]
    await repository.settle()
    ok(await client.post("/v1/articles/a/publish"))
    await repository.settle()


async def test_with_drafts_a_file_that_comes_back_leaves_its_article_archived(
    client: Client, repository: Repository
) -> None:
    repository.delete(A)
    await repository.sync()
    repository.write(A, page("A"))

    [told] = (await repository.sync(drafts=True))["results"]

    assert (told["action"], (await article_at(client, "a"))["status"]) == ("kept", "archived")
    await repository.settle()


async def test_with_drafts_an_article_with_an_edit_stays_unpublished(
    client: Client, repository: Repository
) -> None:
    ok(await client.post("/v1/articles/a/unpublish"))
    await repository.sync()
    repository.edit(A, "status: draft\n", "")
    repository.edit(A, "Two", "Deux")

    [told] = (await repository.sync(drafts=True))["results"]
    await settle_draft(client, "apply")
    await repository.sync(drafts=True)

    assert told["action"] == "proposed"
    assert "nothing goes live" in told["message"]
    article = await article_at(client, "a")
    assert (article["status"], article["contentMarkdown"]) == ("draft", "One\n\nDeux\n\nThree\n")
    assert "status" not in repository.files[A]
    await repository.settle()


async def test_a_draft_stays_known_while_the_next_state_of_its_file_is_refused(
    client: Client, repository: Repository
) -> None:
    repository.edit(A, "Two", "Deux")
    await repository.sync(drafts=True)
    repository.edit(A, "Deux", "> " * 300 + "Deux")
    refused = await repository.sync(drafts=True)
    repository.write(A, page("A", "One\n\nDos\n\nThree\n"))

    await repository.sync(drafts=True)

    assert actions(refused) == {A: "refused"}
    assert (await only_draft(client))["contentMarkdown"] == "One\n\nDos\n\nThree\n"


async def test_a_restart_replaces_the_drafts_of_the_sync_that_it_forgets(
    client: Client, repository: Repository
) -> None:
    await edit_both(repository)
    await repository.sync()
    earlier = await only_draft(client)

    assert actions(await repository.sync(restart=True)) == {A: "conflict"}

    assert (await only_draft(client))["id"] != earlier["id"]


async def test_a_restart_keeps_a_draft_that_somebody_has_edited(
    client: Client, repository: Repository
) -> None:
    await edit_both(repository)
    await repository.sync()
    draft = await only_draft(client)
    edited = {"contentMarkdown": "One\n\nDeux, zwei\n\nThree\n"}
    ok(await client.patch(f"/v1/drafts/{draft['id']}", json=edited))

    await repository.sync(restart=True)

    assert draft["id"] in [row["id"] for row in await all_pages(client, "/v1/drafts")]


async def test_a_restart_that_lacks_a_picture_forgets_nothing(client: Client, repository: Repository) -> None:
    await edit_both(repository)
    await repository.sync()
    repository.assets["i.png"] = b"A picture"
    repository.write("b.md", page("B", "![I](i.png)\n"))
    state = await client.get("/v1/sync", params={"folder": "docs/help"})

    answer = await repository.sync(restart=True)

    assert answer["missingAssets"] == ["i.png"]
    assert (await client.get("/v1/sync", params={"folder": "docs/help"})).content == state.content
