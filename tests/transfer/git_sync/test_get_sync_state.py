"""GET /v1/sync."""

from tests.support.cast import Client
from tests.support.http import named_fields, ok
from tests.support.synced_repository import FOLDER, Repository, digest, page, patch


async def test_a_folder_that_was_never_synced_has_no_commit(client: Client) -> None:
    assert ok(await client.get("/v1/sync", params={"folder": FOLDER})) == {
        "folder": FOLDER,
        "commit": None,
        "syncedAt": None,
        "files": [],
    }


async def test_state_has_the_last_files_of_git_and_the_last_writes(client: Client) -> None:
    repository = Repository(client)
    repository.write("a.md", page("A"))
    await repository.sync()
    await patch(client, "a", title="B")
    await repository.sync(commits=False)

    [row] = ok(await client.get("/v1/sync", params={"folder": FOLDER}))["files"]

    assert (row["path"], row["sha256"]) == ("a.md", digest(page("A")))
    assert len(row["writtenBlob"]) == 40


async def test_another_company_sees_nothing_of_it(client: Client, globex: Client) -> None:
    repository = Repository(client)
    repository.write("a.md", page("A"))
    await repository.sync()

    assert ok(await globex.get("/v1/sync", params={"folder": FOLDER}))["files"] == []


async def test_a_path_out_of_the_repository_is_refused(client: Client) -> None:
    assert named_fields(await client.get("/v1/sync", params={"folder": "../x"})) == ["folder"]
