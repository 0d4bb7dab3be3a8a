"""POST /v1/sync: scripted sequences of changes on both sides."""

import pytest

from tests.support.cast import Api, Cast, Client, RunJobs
from tests.support.file_samples import picture
from tests.support.http import all_pages, create_article, create_collection, created, ok
from tests.support.site_pages import publish, visit
from tests.support.synced_repository import (
    Repository,
    actions,
    article_at,
    page,
    patch,
    refused,
    replace_in_article,
)
from tests.support.uploads import upload

A = "01-start/01-a.md"


@pytest.fixture
async def repository(client: Client) -> Repository:
    """A repository with one article in a collection, in sync."""
    repository = Repository(client)
    repository.write("01-start/_collection.md", "---\ntitle: Start\n---\n")
    repository.write(A, page("A", description="About A."))
    await repository.sync()
    await repository.settle()
    return repository


async def test_new_files_become_published_articles_in_collections(
    client: Client, repository: Repository
) -> None:
    article = await article_at(client, "a")

    assert (article["status"], article["title"], article["description"]) == ("published", "A", "About A.")
    assert article["contentMarkdown"] == "One\n\nTwo\n\nThree\n"
    [collection] = await all_pages(client, "/v1/collections")
    assert (collection["id"], collection["slug"]) == (article["collectionId"], "start")


async def test_a_change_in_git_is_live_and_the_text_before_is_a_revision(
    client: Client, repository: Repository
) -> None:
    repository.edit(A, "Two", "2")

    assert actions(await repository.sync()) == {A: "updated"}
    assert (await article_at(client, "a"))["contentMarkdown"] == "One\n\n2\n\nThree\n"
    [revision] = await all_pages(client, "/v1/articles/a/revisions")
    assert revision["version"] == 1
    await repository.settle()


async def test_a_change_in_instep_changes_its_lines_of_the_file_alone(
    client: Client, repository: Repository
) -> None:
    repository.write(A, "---\n# Ours\ntitle:   'A'\ntags: [x]\n---\nOne  \r\n\n*Two*\n\nThree")
    await repository.sync()
    await replace_in_article(client, "a", "*Two*", "_2_")
    await patch(client, "a", title="A: new", description="")

    assert actions(await repository.sync()) == {A: "written"}
    assert repository.files[A] == '---\n# Ours\ntitle: "A: new"\ntags: [x]\n---\nOne  \r\n\n_2_\n\nThree'
    await repository.settle()


async def test_changes_of_both_sides_meet_on_both(client: Client, repository: Repository) -> None:
    repository.edit(A, "One", "1")
    await replace_in_article(client, "a", "Three", "3")

    assert actions(await repository.sync()) == {A: "merged"}
    assert (await article_at(client, "a"))["contentMarkdown"] == "1\n\nTwo\n\n3\n"
    assert repository.files[A].endswith("---\n1\n\nTwo\n\n3\n")
    await repository.settle()


async def test_conflict_becomes_a_draft_and_both_texts_stay(client: Client, repository: Repository) -> None:
    repository.edit(A, "Two", "Deux")
    before = repository.files[A]
    await replace_in_article(client, "a", "Two", "Zwei")

    answer = await repository.sync()

    assert actions(answer) == {A: "conflict"}
    assert (repository.files[A], answer["writes"]) == (before, [])
    assert "Zwei" in (await article_at(client, "a"))["contentMarkdown"]
    draft = ok(await client.get(f"/v1/drafts/{answer['results'][0]['draftId']}"))
    assert (draft["conflict"], draft["contentMarkdown"]) == (True, "One\n\nDeux\n\nThree\n")
    assert actions(await repository.sync()) == {A: "waiting"}
    assert len(await all_pages(client, "/v1/drafts")) == 1


@pytest.mark.parametrize("verdict", ["dismiss", "apply", "merge"])
async def test_decision_on_the_draft_applies_to_the_file(
    client: Client, repository: Repository, verdict: str
) -> None:
    repository.edit(A, "Two", "Deux")
    await replace_in_article(client, "a", "Two", "Zwei")
    draft_id = (await repository.sync())["results"][0]["draftId"]
    body = {"apply": {"onConflict": "overwrite"}, "dismiss": {}}.get(
        verdict, {"onConflict": "overwrite", "contentMarkdown": "One\n\nDeux, zwei\n\nThree\n"}
    )
    action = "dismiss" if verdict == "dismiss" else "apply"
    ok(await client.post(f"/v1/drafts/{draft_id}/{action}", json=body))

    await repository.sync()

    text = (await article_at(client, "a"))["contentMarkdown"]
    assert (
        text
        == {
            "apply": "One\n\nDeux\n\nThree\n",
            "dismiss": "One\n\nZwei\n\nThree\n",
            "merge": "One\n\nDeux, zwei\n\nThree\n",
        }[verdict]
    )
    assert repository.files[A].endswith(f"---\n{text}")
    await repository.settle()


async def test_a_file_that_changes_again_replaces_its_draft(client: Client, repository: Repository) -> None:
    repository.edit(A, "Two", "Deux")
    await replace_in_article(client, "a", "Two", "Zwei")
    await repository.sync()
    repository.edit(A, "Deux", "Dos")

    assert actions(await repository.sync()) == {A: "conflict"}
    [draft] = await all_pages(client, "/v1/drafts")
    assert "Dos" in ok(await client.get(f"/v1/drafts/{draft['id']}"))["contentMarkdown"]


async def test_uncommitted_writes_are_sent_again_and_never_undone(
    client: Client, repository: Repository
) -> None:
    await replace_in_article(client, "a", "Two", "2")
    first = await repository.sync(commits=False)
    second = await repository.sync(commits=False)
    repository.edit(A, "One", "1")

    third = await repository.sync()

    assert first["writes"] == second["writes"] != []
    assert actions(third) == {A: "merged"}
    assert (await article_at(client, "a"))["contentMarkdown"] == "1\n\n2\n\nThree\n"
    await repository.settle()


async def test_edits_beside_what_was_written_are_no_conflict(client: Client, repository: Repository) -> None:
    await replace_in_article(client, "a", "One\n\nTwo\n", "One\nTwo\n")
    await repository.sync()
    repository.edit(A, "One\nTwo\n", "One\n2\n")
    await replace_in_article(client, "a", "Three", "3")

    assert actions(await repository.sync()) == {A: "merged"}
    assert (await article_at(client, "a"))["contentMarkdown"] == "One\n2\n\n3\n"
    await repository.settle()


async def test_a_new_file_of_a_translation_has_the_readers_of_its_original(
    client: Client, repository: Repository
) -> None:
    repository.write("01-start/p.md", page("P", "Words.", visibility="authenticated"))
    repository.write("01-start/p.de.md", page("P auf Deutsch", "Wörter.", slug="p-de"))

    await repository.sync()

    assert (await article_at(client, "p-de"))["visibility"] == "authenticated"
    await repository.sync()
    assert "visibility: authenticated" in repository.files["01-start/p.de.md"]
    await repository.settle()


async def test_an_article_that_is_published_gets_a_file_beside_those_of_its_collection(
    client: Client, repository: Repository, cast: Cast
) -> None:
    start = (await article_at(client, "a"))["collectionId"]
    new = await publish(client, "B", f"[A](/help/{cast.acme.slug}/articles/a#x)\n", collectionId=start)
    await publish(client, "Über", "Deutsch", locale="de", translationOf=new["id"])
    deep = await create_collection(client, "Deep", parentId=start, icon="🧭")
    await publish(client, "C", collectionId=deep["id"], visibility="authenticated")
    await create_article(client, "Unfinished")
    await publish(client, "Top")

    await repository.sync()

    assert {path: text for path, text in repository.files.items() if path != A} == {
        "01-start/_collection.md": "---\ntitle: Start\n---\n",
        "01-start/02-b.md": page("B", "[A](01-a.md#x)\n"),
        "01-start/02-b.de.md": page("Über", "Deutsch", slug="über"),
        "01-start/03-deep/_collection.md": "---\ntitle: Deep\nicon: 🧭\n---\n",
        "01-start/03-deep/c.md": page("C", "Words.", visibility="authenticated"),
        "02-top.md": page("Top", "Words."),
    }
    await repository.settle()


async def test_a_file_that_is_renamed_as_soon_as_a_sync_has_written_it_is_no_second_article(
    client: Client, repository: Repository
) -> None:
    await publish(client, "New", "One\n")
    await repository.sync()
    # Git reports no rename because the commit of the last sync had neither file.
    repository.rename("02-new.md", "02-other.md", is_told=False)
    await repository.sync()

    articles = await all_pages(client, "/v1/articles")
    assert sorted((row["title"], row["slug"]) for row in articles) == [("A", "a"), ("New", "other")]
    await repository.settle()


async def test_a_small_file_that_is_renamed_as_soon_as_a_sync_has_changed_it_is_no_second_article(
    client: Client, repository: Repository
) -> None:
    repository.write("s.md", page("Small", "One\n"))
    await repository.sync()
    await patch(client, "s", title="Tiny", contentMarkdown="Two words\n")
    await repository.sync()
    # Too little of the file at the last sync is left for git to report a rename.
    repository.rename("s.md", "t.md", is_told=False)

    assert actions(await repository.sync()) == {"t.md": "updated"}
    articles = await all_pages(client, "/v1/articles")
    assert sorted((row["title"], row["slug"]) for row in articles) == [("A", "a"), ("Tiny", "t")]
    await repository.settle()


async def test_extensions_count_in_any_case_and_names_in_any_form_of_unicode(
    client: Client, repository: Repository
) -> None:
    repository.write("Guide.MD", page("Guide", "[m](Mo\u0308bel.Markdown) [n](M%C3%B6bel.Markdown)\n"))
    repository.write("Guide.de.MD", page("Anleitung", "Los\n"))
    repository.write("M\u00f6bel.Markdown", page("Furniture", "[g](Guide.MD)\n"))

    assert set(actions(await repository.sync()).values()) == {"created"}
    guide = await article_at(client, "guide")
    assert guide["contentMarkdown"].count("/articles/m\u00f6bel)") == 2
    assert [row["locale"] for row in guide["translations"]] == ["de"]
    await replace_in_article(client, "guide", "[n]", "[there]")
    await repository.sync()
    assert "[there]" in repository.files["Guide.MD"]
    await repository.settle()


async def test_a_deleted_file_archives_its_article(client: Client, repository: Repository) -> None:
    repository.delete(A)

    assert actions(await repository.sync()) == {A: "archived"}
    assert (await article_at(client, "a"))["status"] == "archived"
    await repository.settle()
    repository.write(A, page("A", description="About A."))
    assert actions(await repository.sync()) == {A: "updated"}
    assert (await article_at(client, "a"))["status"] == "published"


async def test_a_deleted_article_takes_its_file_along(client: Client, repository: Repository) -> None:
    ok(await client.delete("/v1/articles/a"))

    assert actions(await repository.sync()) == {A: "removed"}
    assert A not in repository.files
    await repository.settle()


async def test_slugs_that_renames_give_up_are_free_in_the_same_sync(
    client: Client, repository: Repository
) -> None:
    repository.rename(A, "z.md", is_told=False)
    repository.write("00-a.md", page("New", "New\n"))

    answer = await repository.sync()

    assert {"refused"} & set(actions(answer).values()) == set()
    texts = {slug: (await article_at(client, slug))["contentMarkdown"] for slug in "az"}
    assert texts == {"a": "New\n", "z": "One\n\nTwo\n\nThree\n"}
    await repository.settle()


async def test_a_translation_waits_for_its_original(client: Client, repository: Repository) -> None:
    repository.write("b.md", page("B", status="new"))
    repository.write("b.de.md", page("B auf Deutsch"))

    assert actions(await repository.sync()) == {"b.md": "refused", "b.de.md": "refused"}
    repository.write("b.md", page("B"))
    await repository.sync()

    [translation] = (await article_at(client, "b"))["translations"]
    assert translation["locale"] == "de"


async def test_a_file_whose_change_waits_as_a_draft_stays_when_its_article_is_deleted(
    client: Client, repository: Repository
) -> None:
    repository.edit(A, "title: A", "title: B")
    await repository.sync(drafts=True)
    ok(await client.delete("/v1/articles/a"))

    assert actions(await repository.sync()) == {A: "conflict"}
    assert "title: B\n" in repository.files[A]


async def test_a_file_that_is_renamed_and_edited_while_its_article_is_edited_leaves_both_texts(
    client: Client, repository: Repository
) -> None:
    repository.rename(A, "z.md", is_told=False)
    repository.edit("z.md", "Two", "Deux")
    await replace_in_article(client, "a", "Two", "Zwei")

    assert actions(await repository.sync()) == {A: "conflict", "z.md": "created"}
    assert "Zwei" in (await article_at(client, "a"))["contentMarkdown"]
    assert "Deux" in (await article_at(client, "z"))["contentMarkdown"]
    await repository.sync()
    assert "Deux" in repository.files["z.md"]


async def test_deleted_on_one_side_and_changed_on_the_other_is_told_and_left(
    client: Client, repository: Repository
) -> None:
    repository.write("b.md", page("B"))
    await repository.sync()
    repository.edit("b.md", "Two", "2")
    ok(await client.delete("/v1/articles/b"))
    repository.delete(A)
    await replace_in_article(client, "a", "Two", "2")

    answer = await repository.sync()

    assert actions(answer) == {A: "conflict", "b.md": "conflict"}
    assert "2" in repository.files["b.md"]
    assert (await article_at(client, "a"))["status"] == "published"


@pytest.mark.parametrize("is_told", [True, False])
async def test_a_renamed_file_renames_its_article(
    client: Client, repository: Repository, is_told: bool
) -> None:
    repository.rename(A, "02-more/03-z.md", is_told=is_told)

    assert actions(await repository.sync())["02-more/03-z.md"] in ("renamed", "updated")
    article = await article_at(client, "a")
    assert (article["slug"], article["position"]) == ("z", 3)
    assert ok(await client.get(f"/v1/collections/{article['collectionId']}"))["title"] == "More"
    assert len(await all_pages(client, "/v1/articles")) == 1
    await repository.settle()


async def test_a_file_that_is_moved_and_edited_at_once_is_known_by_its_slug(
    client: Client, repository: Repository
) -> None:
    repository.delete(A)
    repository.write("05-a.md", page("A", "Quite another text.\n"))

    await repository.sync()

    [article] = await all_pages(client, "/v1/articles")
    assert article["contentMarkdown"] == "Quite another text.\n"
    assert article["collectionId"] is None


async def test_front_matter_and_fields_follow_each_other(client: Client, repository: Repository) -> None:
    repository.write(A, page("A", description="About A.", slug="b", visibility="authenticated"))
    await repository.sync()
    article = await article_at(client, "b")
    assert article["visibility"] == "authenticated"
    await patch(client, "b", slug="a", visibility="public", collectionId=None)
    ok(await client.post("/v1/articles/a/unpublish"))

    await repository.sync()

    assert repository.files["02-a.md"] == page("A", description="About A.", status="draft")
    assert A not in repository.files
    await repository.settle()


async def test_instep_wins_a_field_that_both_changed_and_reports_it(
    client: Client, repository: Repository
) -> None:
    repository.edit(A, "About A.", "Git's.")
    await patch(client, "a", description="Instep's.")

    answer = await repository.sync()

    assert "`description`" in answer["results"][0]["message"]
    assert "description: Instep's.\n" in repository.files[A]
    await repository.settle()


async def test_drafts_keep_what_is_live_until_somebody_applies_them(
    client: Client, repository: Repository
) -> None:
    repository.edit(A, "Two", "2")
    repository.write("new.md", page("New"))

    answer = await repository.sync(drafts=True)

    assert actions(answer) == {A: "proposed", "new.md": "created"}
    assert "Two" in (await article_at(client, "a"))["contentMarkdown"]
    assert (await article_at(client, "new"))["status"] == "draft"
    ok(await client.post(f"/v1/drafts/{answer['results'][0]['draftId']}/apply", json={}))
    ok(await client.post("/v1/articles/new/publish"))
    await repository.sync(drafts=True)
    await repository.settle()
    assert "2" in (await article_at(client, "a"))["contentMarkdown"]


async def test_an_existing_help_center_and_folder_meet_without_loss(client: Client, cast: Cast) -> None:
    home = f"http://help.test/help/{cast.acme.slug}/articles"
    await publish(client, "Same", f"[B]({home}/other)\n")
    await publish(client, "Other", "Instep's words.\n")
    repository = Repository(client)
    repository.write("same.md", page("Same", "[B](./other.md)\n"))
    repository.write("other.md", page("Other", "Git's words.\n"))
    repository.write("README.md", "# Not an article\n")

    answer = await repository.sync()

    assert actions(answer) == {"other.md": "conflict"}
    assert repository.files["same.md"] == page("Same", "[B](./other.md)\n")
    assert (await article_at(client, "same"))["contentMarkdown"] == f"[B]({home}/other)\n"
    draft = ok(await client.get(f"/v1/drafts/{answer['results'][0]['draftId']}"))
    assert draft["contentMarkdown"] == "Git's words.\n"


async def test_links_and_pictures_lead_to_the_same_on_both_sides(
    client: Client, repository: Repository, cast: Cast
) -> None:
    data = picture(shade=3)
    repository.assets["img/a b.png"] = data
    repository.write("b.md", page("B", "![A](img/a%20b.png) [A](01-start/01-a.md#two) [No](no.md)\n"))

    first = await repository.sync()
    stored = await upload(client, data, "a b.png")
    await repository.sync()

    assert (first["missingAssets"], first["results"]) == (["img/a b.png"], [])
    path = stored["url"].removeprefix("http://help.test")
    text = f"![A]({path}) [A](/help/{cast.acme.slug}/articles/a#two) [No](no.md)\n"
    assert (await article_at(client, "b"))["contentMarkdown"] == text
    await repository.settle()
    shown = await upload(client, picture(shade=4))
    below = shown["url"].removeprefix("http://help.test")
    await patch(client, "b", contentMarkdown=text + f"![New]({below})\n")
    await repository.sync()
    assert repository.files["b.md"].endswith(f"[No](no.md)\n![New]({shown['url']})\n")
    await repository.settle()


async def test_a_rewritten_history_is_refused_until_somebody_restarts(
    client: Client, repository: Repository
) -> None:
    repository.edit(A, "Two", "Rewritten")
    body = await repository.request()
    del body["previousCommit"]

    sentence = await refused(client, body)

    assert "`restart`" in sentence
    assert "Two" in (await article_at(client, "a"))["contentMarkdown"]
    assert actions(await repository.sync(restart=True)) == {A: "conflict"}


async def test_a_dry_run_tells_and_changes_nothing(client: Client, repository: Repository) -> None:
    repository.edit(A, "Two", "2")
    repository.write("b.md", page("B"))

    told = await repository.sync(dryRun=True)
    still = (await article_at(client, "a"))["contentMarkdown"]
    done = await repository.sync()

    assert actions(told) == actions(done) == {A: "updated", "b.md": "created"}
    assert "Two" in still
    assert told["dryRun"] is True


async def test_a_hidden_folder_of_three_letters_is_no_language(
    client: Client, repository: Repository
) -> None:
    repository.write(".faq/b.md", page("B"))

    assert actions(await repository.sync()) == {".faq/_collection.md": "created", ".faq/b.md": "created"}
    await repository.settle()


async def test_error_in_one_file_does_not_stop_the_others(client: Client, repository: Repository) -> None:
    repository.write("b.md", page("B", slug="Not a slug"))
    repository.write("c.md", page("C", status="new"))
    repository.write("d.md", "---\ntitle: [\n---\n")
    repository.write("e.md", page("E", collection="nowhere"))
    repository.write("f.md", page("F", slug="a"))
    repository.write("g.md", page("G"))

    answer = await repository.sync()

    assert actions(answer) == {**{f"{name}.md": "refused" for name in "bcdef"}, "g.md": "created"}
    messages = {row["path"]: row["message"] for row in answer["results"]}
    assert "`status`: it must be draft or published or archived." in messages["c.md"]
    assert len(await all_pages(client, "/v1/articles")) == 2


@pytest.mark.parametrize("path", ["../a.md", "/a.md", "a//b.md", "a\\b.md", "./a.md", ""])
async def test_a_path_outside_of_the_folder_is_refused(
    client: Client, repository: Repository, path: str
) -> None:
    body = await repository.request()
    body["files"][0]["path"] = path

    assert "files" in await refused(client, body)


async def test_a_digest_that_names_no_known_text_needs_it(client: Client, repository: Repository) -> None:
    body = await repository.request()
    body["files"][0]["sha256"] = "0" * 64

    assert "send the `content`" in await refused(client, body)


async def test_an_original_in_another_language_keeps_its_translation_into_ours(
    client: Client, repository: Repository
) -> None:
    repository.write("b.de.md", page("B auf Deutsch"))
    repository.write("b.md", page("B", translates="de"))

    await repository.sync()
    await repository.settle()

    rows = {row["title"]: row for row in await all_pages(client, "/v1/articles")}
    german = await article_at(client, rows["B auf Deutsch"]["id"])
    assert german["translationOf"] is None
    assert [row["locale"] for row in german["translations"]] == ["en"]


async def test_files_keep_references_to_parts_and_a_missing_part_is_named(
    client: Client, repository: Repository, api: Api, cast: Cast, run_jobs: RunJobs
) -> None:
    repository.edit(A, "Two", "{{part.note}}")

    answer = await repository.sync()
    assert actions(answer) == {A: "refused"}
    assert "{{part.note}}" in str(answer)

    part = created(await client.post("/v1/parts", json={"name": "note", "text": "Bills come by email."}))
    assert actions(await repository.sync()) == {A: "updated"}
    ok(await client.patch(f"/v1/parts/{part['id']}", json={"text": "Bills come by post."}))
    await run_jobs()
    await repository.settle()

    assert "{{part.note}}" in repository.files[A]
    assert "Bills come by post." in (await visit(api, f"{cast.acme.slug}/articles/a")).text


async def test_a_collection_without_a_title_has_that_of_its_folder_and_stays_hidden(
    client: Client, repository: Repository
) -> None:
    repository.write("02-for-partners/_collection.md", "---\nvisibility: authenticated\n---\n")
    repository.write("02-for-partners/p.md", page("P"))

    await repository.sync()

    rows = ok(await client.get("/v1/collections"))["results"]
    assert ("For partners", "authenticated") in {(row["title"], row["visibility"]) for row in rows}
    await repository.settle()
    repository.write(
        "02-for-partners/_collection.md", "---\ntitle: Partners\nvisibility: authenticated\n---\n"
    )
    await repository.sync()
    assert "Partners" in {row["title"] for row in ok(await client.get("/v1/collections"))["results"]}


@pytest.mark.parametrize(
    "line", ["visibility: internal", "visibility: [authenticated]", "Visibility: authenticated"]
)
async def test_an_unclear_visibility_is_refused_and_nothing_in_its_folder_becomes_public(
    client: Client, repository: Repository, line: str
) -> None:
    repository.write("p/_collection.md", f"---\n{line}\n---\n")
    repository.write("p/bee.md", page("Bee"))
    repository.write("p/q/_collection.md", "---\ntitle: Q\n---\n")
    repository.write("c.md", f"---\ntitle: C\n{line}\n---\n")

    answer = await repository.sync()

    refused = {row["path"]: row["message"] for row in answer["results"] if row["action"] == "refused"}
    assert refused.keys() == {"c.md", "p/_collection.md", "p/bee.md", "p/q/_collection.md"}
    assert refused["p/bee.md"] == "p/_collection.md could not be synced: fix that file first."
    assert all("isibility`" in refused[path] for path in ("c.md", "p/_collection.md"))
    for path in ("p/_collection.md", "c.md"):
        repository.edit(path, line, "visibility: authenticated")
    await repository.sync()
    assert (await article_at(client, "c"))["visibility"] == "authenticated"
    [row] = [row for row in ok(await client.get("/v1/collections"))["results"] if row["title"] == "P"]
    assert row["visibility"] == "authenticated"
    assert (await article_at(client, "bee"))["collectionId"] == row["id"]


async def test_a_collection_at_the_top_contains_everything_in_the_folder(client: Client) -> None:
    """The folder may be a part of an export, whose restricted articles must not become public."""
    repository = Repository(client)
    repository.write("_collection.md", "---\nvisibility: authenticated\n---\n")
    repository.write("zed.md", page("Zed"))
    repository.write("zed.de.md", page("Zed auf Deutsch"))
    repository.write("inner/ypsilon.md", page("Ypsilon"))

    answer = await repository.sync()

    assert set(actions(answer).values()) == {"refused"}
    repository.edit("_collection.md", "visibility", "title: Top\nvisibility")
    assert "refused" not in actions(await repository.sync()).values()
    rows = {row["title"]: row for row in ok(await client.get("/v1/collections"))["results"]}
    assert (rows["Top"]["parentId"], rows["Top"]["visibility"]) == (None, "authenticated")
    assert rows["Inner"]["parentId"] == (await article_at(client, "zed"))["collectionId"] == rows["Top"]["id"]
    await repository.settle()
    await patch(client, "zed", collectionId=None)
    await patch(client, "ypsilon", collectionId=rows["Top"]["id"])
    await repository.sync()
    await repository.settle()
    assert set(repository.files) == {"_collection.md", "zed.md", "zed.de.md", "ypsilon.md"}
    assert "collection: /" in repository.files["zed.md"]
    assert (await article_at(client, "zed"))["collectionId"] is None
    assert (await article_at(client, "ypsilon"))["collectionId"] == rows["Top"]["id"]
