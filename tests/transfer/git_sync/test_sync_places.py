"""POST /v1/sync: the order of articles, their collections and their slugs, changed on both sides."""

import asyncio

import pytest

from instep.content.articles.actions import move_article
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.identity.queries import find_bot
from instep.platform.identity.schemas import Actor, Ctx
from tests.support.cast import Cast, Client, Json
from tests.support.databases import until_blocked
from tests.support.file_samples import picture
from tests.support.http import all_pages, create_collection, ok
from tests.support.site_pages import publish
from tests.support.synced_repository import Repository, actions, article_at, page, patch, replace_in_article
from tests.support.uploads import upload

NAMES = ("a", "b", "c", "d")


def path(number: int, name: str) -> str:
    return f"01-start/{number:02}-{name}.md"


@pytest.fixture
async def repository(client: Client) -> Repository:
    """A repository in sync: four numbered articles in one collection and one article in another."""
    repository = Repository(client)
    repository.write("01-start/_collection.md", "---\ntitle: Start\n---\n")
    for number, name in enumerate(NAMES, 1):
        repository.write(path(number, name), page(name.upper(), f"Text {name}\n"))
    repository.write("02-more/_collection.md", "---\ntitle: More\n---\n")
    repository.write("02-more/01-x.md", page("X"))
    await repository.sync()
    await repository.settle()
    return repository


async def put(client: Client, slug: str, position: int) -> None:
    await patch(client, slug, position=position)


async def order(client: Client, collection: str = "start") -> list[str]:
    rows = await all_pages(client, "/v1/articles")
    home = ok(await client.get(f"/v1/collections/{collection}"))["id"]
    here = [row for row in rows if row["collectionId"] == home and not row["translationOf"]]
    return [row["slug"] for row in sorted(here, key=lambda row: (row["position"], row["id"]))]


def names(repository: Repository, folder: str = "01-start/") -> list[str]:
    return sorted(
        name.removeprefix(folder)
        for name in repository.files
        if name.startswith(folder) and not name.endswith("_collection.md")
    )


async def swap(client: Client, one: str, other: str) -> None:
    first, second = [(await article_at(client, slug))["position"] for slug in (one, other)]
    await put(client, one, second)
    await put(client, other, first)


async def test_an_order_of_instep_renames_the_numbered_files_that_it_concerns(
    client: Client, repository: Repository
) -> None:
    before = dict(repository.files)
    await swap(client, "b", "c")

    answer = await repository.sync()

    assert names(repository) == ["01-a.md", "02-c.md", "03-b.md", "04-d.md"]
    assert actions(answer) == {path(2, "b"): "renamed", path(3, "c"): "renamed"}
    assert set(repository.files.values()) == set(before.values())
    await repository.settle()
    assert await order(client) == ["a", "c", "b", "d"]


async def test_links_from_and_to_a_file_that_moves_lead_where_they_led(
    client: Client, repository: Repository, cast: Cast
) -> None:
    repository.assets["01-start/i.png"] = picture(shade=5)
    await upload(client, repository.assets["01-start/i.png"], "i.png")
    repository.write(
        path(2, "b"), page("B", "[A](./01-a.md#x) ![I](i.png) [R](../README.md) [No](../../n.md)\n")
    )
    repository.write(path(4, "d"), page("D", "Before\n\n[B](02-b.md) `[B](02-b.md)`\n\nAfter  \n"))
    repository.write("README.md", "# Ours\n\n[B](01-start/02-b.md)\n")
    await repository.sync()
    await repository.settle()
    before = {slug: (await article_at(client, slug))["contentMarkdown"] for slug in "abcd"}
    more = ok(await client.get("/v1/collections/more"))["id"]
    await patch(client, "b", collectionId=more)

    answer = await repository.sync()

    assert actions(answer) == {
        path(2, "b"): "renamed",
        path(4, "d"): "written",
        "README.md": "written",
    }
    text = "[A](../01-start/01-a.md#x) ![I](../01-start/i.png) [R](../README.md) [No](../../n.md)\n"
    assert repository.files["02-more/02-b.md"] == page("B", text)
    moved = "Before\n\n[B](../02-more/02-b.md) `[B](02-b.md)`\n\nAfter  \n"
    assert repository.files[path(4, "d")] == page("D", moved)
    assert repository.files["README.md"] == "# Ours\n\n[B](02-more/02-b.md)\n"
    await repository.settle()
    assert {slug: (await article_at(client, slug))["contentMarkdown"] for slug in "abcd"} == before
    assert await order(client, "more") == ["x", "b"]
    assert f"/help/{cast.acme.slug}/articles/b" in before["d"]


async def test_translations_move_with_their_original(client: Client, repository: Repository) -> None:
    repository.write("01-start/02-b.de.md", page("B auf Deutsch"))
    await repository.sync()
    more = ok(await client.get("/v1/collections/more"))["id"]
    await patch(client, "b", collectionId=more)

    await repository.sync()

    assert names(repository, "02-more/") == ["01-x.md", "02-b.de.md", "02-b.md"]
    assert "collection: start\n" in repository.files["02-more/02-b.de.md"]
    await repository.settle()


async def test_a_file_stays_with_a_translation_that_could_not_be_taken_over(
    client: Client, repository: Repository
) -> None:
    repository.write("01-start/02-b.de.md", page("B auf Deutsch", status="new"))
    more = ok(await client.get("/v1/collections/more"))["id"]
    await patch(client, "b", collectionId=more)

    await repository.sync()

    assert repository.files[path(2, "b")] == page("B", "Text b\n", collection="more")
    await repository.settle()


async def test_a_collection_without_a_folder_gets_one(client: Client, repository: Repository) -> None:
    new = await create_collection(client, "New")
    await patch(client, "b", collectionId=new["id"])

    await repository.sync()

    assert repository.files["03-new/_collection.md"] == "---\ntitle: New\n---\n"
    assert repository.files["03-new/b.md"] == page("B", "Text b\n")
    await repository.settle()


async def test_an_order_in_front_matter_changes_its_lines_alone(client: Client) -> None:
    repository = Repository(client)
    for number, name in enumerate(NAMES, 1):
        text = f"---\ntitle: {name}\nsidebar_position:  {number}0 # here\ntags: [x]\n---\nText  \r\n"
        repository.write(f"guides/{name}.md", text)
    await repository.sync()
    await repository.settle()
    await put(client, "a", 35)

    answer = await repository.sync()

    assert actions(answer) == dict.fromkeys([f"guides/{name}.md" for name in "abc"], "written")
    assert repository.files["guides/a.md"] == (
        "---\ntitle: a\nsidebar_position:  30 # here\ntags: [x]\n---\nText  \r\n"
    )
    await repository.settle()
    assert await order(client, "guides") == ["b", "c", "a", "d"]


async def test_files_without_a_place_get_one_when_somebody_orders_them(client: Client) -> None:
    repository = Repository(client)
    for name in "abc":
        repository.write(f"guides/{name}.md", page(name))
    await repository.sync()
    await repository.settle()
    await swap(client, "a", "c")

    await repository.sync()

    texts = {name: repository.files[f"guides/{name}.md"] for name in "abc"}
    assert texts == {name: page(name, order=str(place)) for place, name in enumerate("cba", 1)}
    await repository.settle()


async def test_an_order_in_a_configuration_file_is_told_and_nothing_is_written(client: Client) -> None:
    repository = Repository(client)
    for name in "abc":
        repository.write(f"guides/{name}.md", page(name))
    await repository.sync(navigation="mkdocs.yml")
    more = await create_collection(client, "More")
    await swap(client, "a", "c")
    before = dict(repository.files)

    answer = await repository.sync(navigation="mkdocs.yml")

    assert repository.files == before
    assert {row["action"] for row in answer["results"]} == {"kept"}
    assert "mkdocs.yml" in answer["results"][0]["message"]
    assert (await repository.sync(navigation="mkdocs.yml"))["results"] == []
    await patch(client, "b", collectionId=more["id"])
    await repository.sync(navigation="mkdocs.yml")
    assert repository.files["guides/b.md"] == page("b", collection="more")


async def test_an_order_of_git_is_that_of_instep(client: Client, repository: Repository) -> None:
    await put(client, "a", 0)
    await repository.sync()
    repository.rename(path(4, "d"), "01-start/01b-d.md".replace("01b", "00"))
    repository.rename(path(1, "a"), "01-start/09-a.md")

    await repository.sync()

    assert await order(client) == ["d", "b", "c", "a"]
    await repository.settle()


async def test_orders_of_both_sides_that_agree_are_no_conflict(
    client: Client, repository: Repository
) -> None:
    await swap(client, "b", "c")
    repository.rename(path(2, "b"), path(3, "b"))
    repository.rename(path(3, "c"), path(2, "c"))

    answer = await repository.sync()

    assert answer["writes"] == []
    assert "different orders" not in str(answer["results"])
    assert await order(client) == ["a", "c", "b", "d"]
    await repository.settle()


async def test_two_orders_are_told_and_that_of_instep_stays(client: Client, repository: Repository) -> None:
    await swap(client, "b", "c")
    repository.rename(path(4, "d"), "01-start/00-d.md")

    answer = await repository.sync()

    assert "different orders" in str(answer["results"])
    assert [name[3:-3] for name in names(repository)] == await order(client)
    await repository.settle()


async def test_a_move_that_nobody_committed_is_written_again(client: Client, repository: Repository) -> None:
    await swap(client, "b", "c")
    first = await repository.sync(commits=False)
    second = await repository.sync(commits=False)
    repository.edit(path(2, "b"), "Text b", "New b")
    third = await repository.sync()

    assert first["writes"] == second["writes"] != []
    assert actions(third)[path(2, "b")] == "updated"
    assert repository.files[path(3, "b")] == page("B", "New b\n")
    await repository.settle()


async def test_a_moved_file_that_is_edited_in_its_commit_keeps_both(
    client: Client, repository: Repository
) -> None:
    more = ok(await client.get("/v1/collections/more"))["id"]
    await patch(client, "b", collectionId=more)
    await repository.sync()
    repository.edit("02-more/02-b.md", "Text b", "New b")
    await patch(client, "b", title="Title")

    answer = await repository.sync()

    assert actions(answer) == {"02-more/02-b.md": "merged"}
    article = await article_at(client, "b")
    assert (article["contentMarkdown"], article["collectionId"]) == ("New b\n", more)
    await repository.settle()


async def test_a_file_that_waits_for_review_stays_until_its_draft_is_settled(
    client: Client, repository: Repository
) -> None:
    repository.edit(path(2, "b"), "Text b", "Git b")
    await replace_in_article(client, "b", "Text b", "Instep b")
    await swap(client, "b", "c")

    answer = await repository.sync()

    assert actions(answer) == {path(2, "b"): "conflict"}
    assert names(repository)[1:3] == ["02-b.md", "03-c.md"]
    ok(await client.post(f"/v1/drafts/{answer['results'][0]['draftId']}/dismiss", json={}))
    await repository.sync()
    assert names(repository)[1:3] == ["02-c.md", "03-b.md"]
    assert "Instep b" in repository.files[path(3, "b")]
    await repository.settle()


async def test_a_slug_of_instep_is_a_line_of_the_file(client: Client, repository: Repository) -> None:
    await patch(client, "b", slug="better")

    assert actions(await repository.sync()) == {path(2, "b"): "written"}
    assert repository.files[path(2, "b")] == page("B", "Text b\n", slug="better")
    await repository.settle()


async def test_a_new_article_gets_its_place_among_the_files(client: Client, repository: Repository) -> None:
    start = ok(await client.get("/v1/collections/start"))["id"]
    new: Json = await publish(client, "New", collectionId=start)
    for name in "dcb":
        await swap(client, new["id"], name)

    await repository.sync()

    assert names(repository) == ["01-a.md", "02-new.md", "03-b.md", "04-c.md", "05-d.md"]
    await repository.settle()


async def test_a_sync_and_somebody_who_moves_an_article_wait_for_each_other_in_turn(
    client: Client, repository: Repository, cast: Cast, database: Database, owner: Tx
) -> None:
    async def move() -> None:
        async with database.enter_workspace(cast.acme.workspace_id) as tx, tx.transaction():
            editor = Actor("person", "Ann", can_write=True)
            await move_article(Ctx(tx, await find_bot(tx, cast.acme.bot_id), editor, utc_now()), "a", "down")

    async with owner.transaction():
        # Both have started. The move locks the order first and the articles last.
        await owner.advisory_lock(f"articles {cast.acme.bot_id}")
        moving = asyncio.create_task(move())
        await until_blocked(owner, 1)
        syncing = asyncio.create_task(repository.sync())
        await until_blocked(owner, 2)
    await asyncio.gather(moving, syncing)

    assert await order(client) == ["b", "a", "c", "d"]


async def test_a_file_that_has_to_wait_gives_instep_no_order_that_nobody_has_chosen(
    client: Client, repository: Repository
) -> None:
    home = (await article_at(client, "a"))["collectionId"]
    await publish(client, "New", "One\n", collectionId=home)
    await patch(client, "d", contentMarkdown="Text of Instep\n")
    # The last file would become the fifth, like the new one, but a conflict keeps it from being written.
    repository.write(path(4, "d"), page("D", "Text of git\n", order="9"))

    await repository.sync()

    for _ in range(2):
        assert set(actions(await repository.sync()).values()) == {"waiting"}
    assert await order(client) == [*NAMES, "new"]
