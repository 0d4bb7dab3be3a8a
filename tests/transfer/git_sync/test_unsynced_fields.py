"""Versions, and outdated translations, which a sync reads in new files alone."""

from tests.support.cast import Client
from tests.support.http import created, ok
from tests.support.synced_repository import Repository, actions, article_at, page, patch
from tests.support.wording import like


async def add_versions(client: Client) -> None:
    for slug in ("v1", "v2"):
        created(await client.post("/v1/product-versions", json={"name": slug, "slug": slug}))


async def test_a_new_file_has_its_versions_and_an_unknown_one_is_refused(client: Client) -> None:
    await add_versions(client)
    repository = Repository(client)
    repository.write("a.md", page("A", since="v1", until="v2"))
    repository.write("a.de.md", page("A auf Deutsch", since="v1"))
    repository.write("b.md", page("B", until="v9"))

    answer = await repository.sync()

    assert actions(answer) == {"a.md": "created", "a.de.md": "created", "b.md": "refused"}
    [refusal] = [row["message"] for row in answer["results"] if row["action"] == "refused"]
    assert refusal == like("`until`: …v1, v2…")
    article = await article_at(client, "a")
    assert (article["sinceVersion"], article["untilVersion"]) == ("v1", "v2")
    repository.edit("b.md", "v9", "v1")
    assert actions(await repository.sync()) == {"b.md": "created"}
    await repository.settle()


async def test_a_file_that_contradicts_the_versions_of_its_article_is_told(client: Client) -> None:
    await add_versions(client)
    repository = Repository(client)
    repository.write("a.md", page("A", since="v1"))
    repository.write("b.md", page("B"))
    await repository.sync()
    await patch(client, "a", sinceVersion="v2", untilVersion="v2")
    repository.edit("b.md", "title: B", "title: B\nuntil: v2")

    for _ in range(2):
        answer = await repository.sync()
        messages = {row["path"]: row["message"] for row in answer["results"]}
        assert messages["a.md"] == "`since` is not synced: the file has v1, and the article v2."
        assert messages["b.md"].endswith("`until` is not synced: the file has v2, and the article none.")
        assert answer["writes"] == []
    repository.edit("a.md", "since: v1", "since: v2")
    repository.edit("b.md", "until: v2\n", "")
    await repository.sync()
    await repository.settle()


async def test_a_new_translation_may_be_outdated_until_it_is_written(client: Client) -> None:
    repository = Repository(client)
    repository.write("a.md", page("A"))
    repository.write("a.de.md", page("A auf Deutsch", translation="outdated"))
    await repository.sync()
    await repository.settle()
    assert await is_outdated_in_german(client)

    repository.edit("a.de.md", "Two", "Zwei")
    await repository.sync()
    assert not await is_outdated_in_german(client)
    [row] = (await repository.sync())["results"]
    assert (row["path"], row["action"]) == ("a.de.md", "kept")
    assert row["message"].startswith("`translation` is not synced: the file has outdated")


async def test_versions_without_a_value_are_none_and_a_list_is_refused(client: Client) -> None:
    await add_versions(client)
    repository = Repository(client)
    for name, line in {"a": "since: ~", "b": 'until: ""', "c": "since:", "d": "until: null"}.items():
        repository.write(f"{name}.md", f"---\ntitle: {name}\n{line}\n---\nText.\n")
    repository.write("e.md", "---\ntitle: E\nsince: [v1]\n---\nText.\n")

    answer = await repository.sync()

    assert actions(answer) == {f"{name}.md": "created" for name in "abcd"} | {"e.md": "refused"}
    [refusal] = [row["message"] for row in answer["results"] if row["action"] == "refused"]
    assert "`since` must be a single value" in refusal
    repository.edit("e.md", "[v1]", "v1")
    await repository.sync()
    await repository.settle()


async def test_an_original_is_never_outdated(client: Client) -> None:
    repository = Repository(client)
    repository.write("a.md", page("A", translation="outdated"))

    assert actions(await repository.sync()) == {"a.md": "created"}
    await repository.settle()


async def is_outdated_in_german(client: Client) -> bool:
    [row] = ok(await client.get("/v1/articles/a"))["translations"]
    return bool(row["outdated"])
