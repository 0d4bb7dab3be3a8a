"""GET /help/{bot}/articles/{slug}."""

import re
from typing import Any

import pytest

from instep.content.articles import jobs
from instep.content.articles.jobs import schedule_rendering
from instep.content.files.picture_sizes import HTML_VERSION
from instep.content.parts.readers_texts import text_columns
from instep.platform.core.database import Database, Tx
from instep.platform.identity.schemas import Ctx
from tests.support import changes
from tests.support.cast import Api, Cast, Client, RunJobs
from tests.support.changelog_entries import create_entry
from tests.support.http import created, ok
from tests.support.places import find_places, new_place
from tests.support.site_pages import Page, collect, publish, set_article, visit


async def test_a_visitor_reads_the_article(client: Client, api: Api, cast: Cast) -> None:
    group = await collect(client, "First steps")
    fields = {"description": "How to begin", "collectionId": group["id"]}
    article = await publish(client, "Install", "# Run\n\nRun **it**.", **fields)

    answer = await visit(api, f"{cast.acme.slug}/articles/install")

    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert article["url"] == f"http://help.test/help/{cast.acme.slug}/articles/install"
    page = Page(answer.text)
    assert "<title>Install · Acme</title>" in answer.text
    assert {"name": "description", "content": "How to begin"} in page.attributes("meta")
    assert page.attributes("html") == [{"lang": "en", "dir": "ltr"}]
    assert "<strong>it</strong>" in answer.text
    for words in ("Install", "How to begin", "First steps"):
        assert words in page.text
    assert f"/help/{cast.acme.slug}/collections/first-steps" in page.links


async def test_links_to_headings_of_other_pages_lead_to_them(client: Client, api: Api, cast: Cast) -> None:
    home = f"/help/{cast.acme.slug}"
    await publish(client, "Find", "## Filters\n\nNarrow it.")
    links = f"[a]({home}/articles/find#filters) [b](http://help.test{home}/articles/find#h-filters)"
    await publish(client, "Install", f"{links} [c](https://other.example/#filters)")

    page = Page((await visit(api, f"{cast.acme.slug}/articles/install")).text)
    target = await visit(api, f"{cast.acme.slug}/articles/find")

    assert f"{home}/articles/find#h-filters" in page.links
    assert f"http://help.test{home}/articles/find#h-filters" in page.links
    assert "https://other.example/#filters" in page.links
    assert 'id="h-filters"' in target.text


async def test_the_page_shows_what_the_api_gives_as_html(client: Client, api: Api, cast: Cast) -> None:
    text = (
        "# One\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n\n<details><summary>a</summary>x</details>\n"
    )
    await publish(client, "Install", text)

    html = (await client.get("/v1/articles/install?format=html")).json()["contentHtml"]

    assert html in (await visit(api, f"{cast.acme.slug}/articles/install")).text


async def test_the_page_has_no_script_but_the_sites_own(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Install", "Run it. <script>alert(1)</script>")

    page = Page((await visit(api, f"{cast.acme.slug}/articles/install")).text)

    assert "Run it." in page.text
    assert (page.foreign_scripts, len(page.attributes("script"))) == ([], 1)
    assert page.names.isdisjoint({"iframe", "object", "embed", "style", "base"})
    assert {form["method"] for form in page.attributes("form") if form.get("role") != "search"} == {"post"}
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on") or name == "style"]


async def test_security_headers_forbid_what_the_page_does_not_need(
    client: Client, api: Api, cast: Cast
) -> None:
    await publish(client, "Install")

    headers = (await visit(api, f"{cast.acme.slug}/articles/install")).headers

    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert (policy["script-src"], policy["trusted-types"]) == ("'self'", "'none'")
    assert (policy["base-uri"], policy["frame-ancestors"]) == ("'none'", "'none'")
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "strict-origin-when-cross-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "server" not in headers
    assert headers["Request-Id"]


async def test_titles_and_descriptions_are_text_and_never_markup(
    client: Client, api: Api, cast: Cast
) -> None:
    hostile = "\"><img src=x onerror=alert(1)></title><script>x</script>{{ 7*7 }}'"
    group = await collect(client, hostile, description=hostile, slug="group", icon="<b>")
    fields = {"description": hostile, "slug": "install", "collectionId": group["id"]}
    await publish(client, hostile, "Words.", **fields)

    for path in ("", "articles/install", "collections/group"):
        answer = await visit(api, f"{cast.acme.slug}/{path}")
        page = Page(answer.text)
        assert answer.status_code == 200
        assert page.names.isdisjoint({"img", "b"})
        assert page.foreign_scripts == []
        assert "{{ 7*7 }}" in page.text


async def test_an_unchanged_page_is_not_sent_again(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Install")
    path = f"{cast.acme.slug}/articles/install"
    first = await visit(api, path)

    again = await visit(api, path, **{"If-None-Match": first.headers["ETag"]})
    await client.patch("/v1/articles/install", json={"contentMarkdown": "Other words."})
    changed = await visit(api, path, **{"If-None-Match": first.headers["ETag"]})

    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    assert (changed.status_code, "Other words." in changed.text) == (200, True)
    assert "no-cache" in first.headers["Cache-Control"]


async def test_a_page_that_was_taken_down_is_gone_for_those_who_have_it_too(
    client: Client, api: Api, cast: Cast
) -> None:
    await publish(client, "Install")
    path = f"{cast.acme.slug}/articles/install"
    first = await visit(api, path)
    await client.post("/v1/articles/install/unpublish")

    answer_after = await visit(api, path, **{"If-None-Match": first.headers["ETag"]})

    assert answer_after.status_code == 404


async def test_a_former_slug_leads_to_the_present_one(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Install")
    for slug in ("set-up", "begin"):
        await client.patch("/v1/articles/install", json={"slug": slug})

    for slug in ("install", "set-up"):
        moved = await visit(api, f"{cast.acme.slug}/articles/{slug}")
        assert moved.status_code == 301
        assert moved.headers["Location"] == f"http://help.test/help/{cast.acme.slug}/articles/begin"


async def test_the_former_slug_of_what_is_not_live_leads_nowhere(
    client: Client, api: Api, cast: Cast
) -> None:
    await publish(client, "Install")
    await client.patch("/v1/articles/install", json={"slug": "begin"})
    await client.post("/v1/articles/begin/unpublish")

    assert (await visit(api, f"{cast.acme.slug}/articles/install")).status_code == 404


async def test_other_languages_stand_below_their_code(client: Client, api: Api, cast: Cast) -> None:
    root = await publish(client, "Install", "Words.", slug="install")
    fields = {"locale": "de", "translationOf": root["id"], "slug": "install"}
    article = await publish(client, "Einrichten", "Worte.", **fields)

    page = await visit(api, f"{cast.acme.slug}/de/articles/install")

    assert article["url"] == f"http://help.test/help/{cast.acme.slug}/de/articles/install"
    assert "Worte." in page.text
    assert Page(page.text).attributes("html") == [{"lang": "de", "dir": "ltr"}]
    assert "Words." in (await visit(api, f"{cast.acme.slug}/articles/install")).text
    assert (await visit(api, f"{cast.acme.slug}/fr/articles/install")).status_code == 404


@pytest.mark.parametrize("locale", ["ar", "he", "fa", "ur", "az-Arab"])
async def test_a_page_runs_as_its_language_does(client: Client, api: Api, cast: Cast, locale: str) -> None:
    await publish(client, "Install", locale=locale)

    for path in ("articles/install", "search?q=install"):
        page = Page((await visit(api, f"{cast.acme.slug}/{locale}/{path}")).text)
        assert page.attributes("html") == [{"lang": locale, "dir": "rtl"}]


async def test_a_former_slug_of_another_language_stays_in_that_language(
    client: Client, api: Api, cast: Cast
) -> None:
    article = await publish(client, "Einrichten", "Worte.", locale="de")
    await client.patch(f"/v1/articles/{article['id']}", json={"slug": "beginnen"})

    moved = await visit(api, f"{cast.acme.slug}/de/articles/einrichten")

    assert moved.status_code == 301
    assert moved.headers["Location"].endswith("/de/articles/beginnen")


async def test_every_other_spelling_of_a_language_leads_to_the_one_address(
    client: Client, visitor: Client, api: Api, cast: Cast
) -> None:
    here = f"http://help.test/help/{cast.acme.slug}"
    await publish(client, "Configurar", locale="pt-BR")
    await publish(client, "Install")
    await client.patch("/v1/articles/configurar", json={"slug": "começar"})

    for spelling, address in {
        "PT-br/articles/começar": f"{here}/pt-BR/articles/come%C3%A7ar",
        "pt-br/articles/configurar": f"{here}/pt-BR/articles/come%C3%A7ar",
        "en/articles/install": f"{here}/articles/install",
        "EN/articles/install": f"{here}/articles/install",
    }.items():
        moved = await visit(api, f"{cast.acme.slug}/{spelling}")
        assert (moved.status_code, moved.headers["Location"]) == (301, address)
        assert (await visitor.get(moved.headers["Location"])).status_code == 200
    for nowhere in ("PT-br/articles/install", "english/articles/install", "EN/articles/x"):
        assert (await visit(api, f"{cast.acme.slug}/{nowhere}")).status_code == 404


async def test_letters_of_any_script_make_an_address(client: Client, visitor: Client) -> None:
    article = await publish(client, "Настройка 設定", "Слова.")

    assert "Слова." in (await visitor.get(article["url"])).text


@pytest.mark.parametrize(
    "assignment",
    [
        "status = 'draft'",
        "status = 'in_review'",
        "status = 'archived'",
        "deleted_at = now()",
        "visibility = 'authenticated'",
    ],
)
async def test_articles_that_are_not_public_get_404(
    client: Client, api: Api, cast: Cast, owner: Tx, assignment: str
) -> None:
    article = await publish(client, "Install", "Secret words.")
    await set_article(owner, article, assignment)

    answer = await visit(api, f"{cast.acme.slug}/articles/install")

    assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "Secret" not in answer.text
    assert answer.text == (await visit(api, f"{cast.acme.slug}/articles/nothing")).text


async def test_an_address_without_a_page_leads_on_to_search_and_home(api: Api, cast: Cast) -> None:
    here = f"/help/{cast.acme.slug}/"
    missing = Page((await visit(api, f"{cast.acme.slug}/articles/not-here")).text)
    unknown = Page((await visit(api, "nobody/")).text)

    assert here in missing.links
    [search] = missing.attributes("form")
    assert (search["role"], search["action"]) == ("search", f"{here}search")
    assert (unknown.links, unknown.attributes("form")) == (["#content", "/"], [])


async def test_an_address_without_a_page_keeps_the_name_and_the_links_of_its_help_center(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    await owner.execute("update bots set name = 'Acme Answers' where id = %(id)s", id=cast.acme.bot_id)
    missing = Page((await visit(api, f"{cast.acme.slug}/articles/not-here")).text)

    assert "Acme Answers" in missing.text
    assert f"/help/{cast.acme.slug}/contact" in missing.links


async def test_an_address_outside_of_every_help_center_leads_to_the_front_page(api: Api) -> None:
    answer = await api(None).get("/nope")

    assert answer.status_code == 404
    assert "/" in Page(answer.text).links


async def test_an_unpublished_article_has_no_page(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Install")
    await client.post("/v1/articles/install/unpublish")

    assert (await visit(api, f"{cast.acme.slug}/articles/install")).status_code == 404


async def test_an_authenticated_collection_hides_its_articles(client: Client, api: Api, cast: Cast) -> None:
    group = await collect(client, "Staff", visibility="authenticated")
    await publish(client, "Install", collectionId=group["id"])

    assert (await visit(api, f"{cast.acme.slug}/articles/install")).status_code == 404
    await client.patch(f"/v1/collections/{group['id']}", json={"visibility": "public"})
    assert (await visit(api, f"{cast.acme.slug}/articles/install")).status_code == 200


async def test_an_article_stands_in_its_own_help_center_only(
    client: Client, visitor: Client, cast: Cast
) -> None:
    article = await publish(client, "Install")

    for path in (
        f"{cast.globex.slug}/articles/install",
        "nobody/articles/install",
        f"{cast.acme.slug}/articles/{article['id']}",
        f"{cast.acme.slug}/articles/Install",
    ):
        answer = await visitor.get(f"/help/{path}", follow_redirects=False)
        assert answer.status_code in (404, 307), path
        assert "Words." not in answer.text


@pytest.mark.parametrize("path", ["articles/%00", "articles/%ff", "articles/..%2f..", "%00/articles/x"])
async def test_an_odd_address_is_not_found(api: Api, cast: Cast, path: str) -> None:
    assert (await visit(api, f"{cast.acme.slug}/{path}")).status_code == 404


async def test_a_paused_company_keeps_its_help_center(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    await publish(client, "Install")
    await owner.execute(
        "update workspaces set paused_at = now() where id = %(id)s", id=cast.acme.workspace_id
    )

    assert (await visit(api, f"{cast.acme.slug}/articles/install")).status_code == 200


async def add_task(owner: Tx, cast: Cast, number: int, day: str, status: str = "completed") -> str:
    """Add a code change received on this day of 2099."""
    id = f"task_{number}"
    await owner.execute(
        """
        insert into tasks (id, workspace_id, bot_id, type, status, change_kind, change_title,
            created_at)
        values (%(id)s, %(workspace)s, %(bot)s, 'document_change', %(status)s, 'pull_request', 'A change',
            %(at)s)
        """,
        id=id,
        workspace=cast.acme.workspace_id,
        bot=cast.acme.bot_id,
        status=status,
        at=f"2099-{day}T12:00:00Z",
    )
    return id


async def test_page_names_the_last_change_that_the_article_was_compared_with(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    article = await publish(client, "Install")
    path = f"{cast.acme.slug}/articles/install"
    assert "Compared with product changes" not in Page((await visit(api, path)).text).text

    await add_task(owner, cast, 1, "01-02")
    await add_task(owner, cast, 2, "01-03")
    await add_task(owner, cast, 3, "01-04", status="running")
    assert "January 3, 2099" in Page((await visit(api, path)).text).text

    # The proposal of a newer change is pending, so the text does not reflect that change yet.
    newest = await add_task(owner, cast, 4, "01-05")
    await owner.execute(
        """
        insert into drafts (id, workspace_id, bot_id, type, status, article_id, task_id, content_markdown,
            base_version, base_title, base_markdown, additions, deletions, evidence, warnings,
            author_type, author_name, created_at, updated_at)
        values ('drf_1', %(workspace)s, %(bot)s, 'edit', 'pending', %(article)s, %(task)s, 'New words.',
            1, 'Install', 'Words.', 1, 1, '[]', '[]', 'task', 'Instep', now(), now())
        """,
        workspace=cast.acme.workspace_id,
        bot=cast.acme.bot_id,
        article=article["id"],
        task=newest,
    )
    assert "January 3, 2099" in Page((await visit(api, path)).text).text

    assert (await client.post("/v1/drafts/drf_1/dismiss")).status_code == 200
    assert "January 5, 2099" in Page((await visit(api, path)).text).text

    assert (await client.post("/v1/drafts/drf_1/reopen")).status_code == 200
    assert "January 3, 2099" in Page((await visit(api, path)).text).text


async def test_changes_of_versions_without_the_article_do_not_count(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    old, new = [
        created(await client.post("/v1/product-versions", json={"slug": slug})) for slug in ("1.x", "2.x")
    ]
    await publish(client, "Install", untilVersion="1.x")
    path = f"{cast.acme.slug}/articles/install"
    for number, (version, day) in enumerate(((old, "01-02"), (new, "01-03"))):
        task = await add_task(owner, cast, number, day)
        sql = "update tasks set version_id = %(version)s where id = %(id)s and workspace_id = %(workspace)s"
        await owner.execute(sql, version=version["id"], id=task, workspace=cast.acme.workspace_id)

    assert "January 2, 2099" in Page((await visit(api, path)).text).text


async def test_changes_with_an_open_place_in_the_article_do_not_count(
    client: Client, api: Api, cast: Cast, owner: Tx, database: Database
) -> None:
    article = await publish(client, "Install")
    path = f"{cast.acme.slug}/articles/install"
    await add_task(owner, cast, 1, "01-02")
    newest = await find_places(client, database, cast.acme, new_place(article["id"]))
    await owner.execute(
        "update tasks set status = 'completed', created_at = '2099-01-05T12:00Z' where id = %(id)s",
        id=newest["id"],
    )
    assert "January 2, 2099" in Page((await visit(api, path)).text).text

    place_path = f"/v1/places/{newest['places'][0]['id']}"
    for verb, day in (("resolve", 5), ("reopen", 2), ("dismiss", 5)):
        assert (await client.post(f"{place_path}/{verb}")).status_code == 200
        assert f"January {day}, 2099" in Page((await visit(api, path)).text).text


async def test_a_change_that_is_compared_after_a_later_one_is_not_passed_over(
    client: Client, api: Api, cast: Cast, owner: Tx, run_jobs: RunJobs
) -> None:
    await changes.write_articles(client)
    path = f"{cast.acme.slug}/articles/settings"
    await changes.send(client)
    await add_task(owner, cast, 1, "01-03")
    # Loading the search index drops pages that were rendered before it.
    await client.get("/v1/articles/search", params={"q": "settings"})
    assert "January 3, 2099" in Page((await visit(api, path)).text).text

    # The earlier change's proposal is pending now.
    await run_jobs()

    assert "January 3, 2099" not in Page((await visit(api, path)).text).text


async def test_the_worker_renders_texts_of_earlier_versions_again_and_pages_never_do(
    client: Client, api: Api, cast: Cast, owner: Tx, database: Database, run_jobs: RunJobs
) -> None:
    # Leave out the thousands of rows that other tests have inserted without HTML.
    await owner.execute(
        f"update articles set html_version = {HTML_VERSION} where html_version < {HTML_VERSION}"
    )
    text = "```python\nreturn 1\n```\n"
    article = await publish(client, "Install", text)
    entry = await create_entry(client, contentMarkdown=text)
    path = f"{cast.acme.slug}/articles/install"
    plain = "content_html = '<pre><code class=\"language-python\">return 1\n</code></pre>', html_version = 0"
    await owner.execute(f"update articles set {plain} where id = %(id)s", id=article["id"])
    await owner.execute(f"update changelog_entries set {plain} where id = %(id)s", id=entry["id"])
    before = ok(await client.get(f"/v1/articles/{article['id']}"))

    assert 'class="code-word"' not in (await visit(api, path)).text
    await schedule_rendering(database)
    await run_jobs()

    assert '<span class="code-word">return</span>' in (await visit(api, path)).text
    assert ok(await client.get(f"/v1/articles/{article['id']}")) == before
    shown = ok(await client.get(f"/v1/changelog/entries/{entry['id']}", params={"format": "html"}))
    assert "code-word" in shown["contentHtml"]
    assert (
        await owner.value("select html_version from articles where id = %(id)s", id=article["id"])
        == HTML_VERSION
    )


async def test_a_text_that_fails_keeps_its_html_and_the_others_are_rendered(
    client: Client,
    cast: Cast,
    owner: Tx,
    database: Database,
    run_jobs: RunJobs,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await owner.execute(
        f"update articles set html_version = {HTML_VERSION} where html_version < {HTML_VERSION}"
    )
    articles = [await publish(client, title, f"# {title}") for title in ("First", "Broken", "Last")]
    for article in articles:
        old = "content_html = '<p>Old</p>', html_version = 0"
        await owner.execute(f"update articles set {old} where id = %(id)s", id=article["id"])

    async def fail(ctx: Ctx, text: str, locale: str) -> dict[str, Any]:
        if "Broken" in text:
            raise IndexError
        return await text_columns(ctx, text, locale)

    monkeypatch.setattr(jobs, "text_columns", fail)
    await schedule_rendering(database)
    await run_jobs()

    sql = "select content_html like '%%Old%%' from articles where id = %(id)s"
    assert [await owner.value(sql, id=article["id"]) for article in articles] == [False, True, False]


async def test_the_source_of_a_diagram_is_folded_below_a_word_of_the_pages_language(
    client: Client, api: Api, cast: Cast
) -> None:
    text = "Words.\n\n```mermaid\nflowchart LR\n  A --> B\n```\n\n```sh\nrun\n```\n"
    article = await publish(client, "Flow", text)
    await publish(client, "Fluss", text, locale="de", translationOf=article["id"])

    for path, word in (("articles/flow", "Diagram"), ("de/articles/fluss", "Diagramm")):
        html = (await visit(api, f"{cast.acme.slug}/{path}")).text
        [folded] = re.findall(r"<details><summary>(.*?)</summary><pre", html)
        assert folded.startswith(f"{word},")
        assert "A --&gt; B" in html
