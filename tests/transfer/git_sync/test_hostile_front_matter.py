"""POST /v1/sync: front matter that is slow to parse does not delay others, and its file is named."""

import pytest

from instep.platform.core import limits
from tests.support.cast import Client
from tests.support.event_loop import MAX_SECONDS, watched_loop
from tests.support.synced_repository import Repository, actions, page, refused

HOSTILE = {
    "nested lists": "title: A\nx: " + "[" * 6_000,
    "nested items": "title: A\nx:\n  " + "- " * 6_000,
    "aliases": "title: A\na: &a [x]\nb: [" + "*a, " * 2_000 + "]",
    "long": "title: A\n" + "".join(f"k{n}: x\n" for n in range(5_000)),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("dry_run", [True, False])
async def test_hostile_front_matter_is_refused_by_the_name_of_its_file(
    client: Client, monkeypatch: pytest.MonkeyPatch, name: str, dry_run: bool
) -> None:
    repository = Repository(client)
    for number in range(20):
        repository.write(f"a{number}.md", page(f"A {number}"))
    repository.write("guide/hostile.md", f"---\n{HOSTILE[name]}\n---\nText\n")
    body = await repository.request(dryRun=dry_run)

    with watched_loop(monkeypatch) as longest:
        sentence = await refused(client, body)

    assert "guide/hostile.md" in sentence
    assert longest.seconds < MAX_SECONDS


async def test_the_front_matter_of_a_large_folder_is_read_in_another_process(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository(client)
    head = "".join(f"k{n}: x{n}\n" for n in range(400))
    for number in range(20):
        repository.write(f"a{number}.md", f"---\ntitle: A {number}\n{head}---\nText\n")
    monkeypatch.setattr("instep.transfer.exports.page_file.load_yaml", None)

    assert set(actions(await repository.sync()).values()) == {"created"}


async def test_two_rules_far_from_each_other_are_no_front_matter(client: Client) -> None:
    repository = Repository(client)
    words = "Words.\n" * (limits.MAX_FRONT_MATTER_CHARACTERS // 6)
    repository.write("rules.md", f"---\n\n{words}\n---\nText\n")
    repository.write("a.md", page("A"))

    assert actions(await repository.sync()) == {"a.md": "created"}
