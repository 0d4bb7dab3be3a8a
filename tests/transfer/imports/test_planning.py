"""The plan of an import, without a database: the targets of links, pictures, pages and redirects."""

import time
from dataclasses import replace
from typing import Any

import pytest

from instep.platform.core.errors import InvalidRequest
from instep.transfer.imports.actions import valid_site
from instep.transfer.imports.schemas import BotState, KnownPage
from instep.transfer.imports.source.formats import tree_of_files
from instep.transfer.imports.tree.own_sites import own_sites
from instep.transfer.imports.tree.schemas import ImportedCollection, ImportedRedirect, Loss
from tests.support.file_samples import picture
from tests.support.import_sources import (
    EMPTY_BOT,
    Files,
    dedented,
    losses_of,
    page,
    page_of,
    planned,
    text_of,
    tree,
)
from tests.support.wording import like

PNG = picture()


@pytest.mark.parametrize(
    "destination",
    [
        "../guides/install.md",
        "../guides/install",
        "/guides/install",
        "/guides/install/",
        "/guides/Install.html",
        "/docs/guides/install.md",
        "https://docs.example.com/guides/install",
        "/en/old-install",
        "/moved-twice",
        "install",
    ],
)
def test_every_way_to_name_a_page_leads_to_its_article(destination: str) -> None:
    source = tree(
        page("docs/start/index.md", f"See [it]({destination} 'The title').\n", address="/guides/"),
        page(
            "docs/guides/install.md",
            address="/guides/install",
            former_addresses=("/en/old-install",),
        ),
        redirects=(
            ImportedRedirect("/moved-twice", "/moved"),
            ImportedRedirect("/moved", "https://docs.example.com/guides/install"),
        ),
        sites=("https://docs.example.com",),
    )

    plan = planned(source)

    assert text_of(plan, "docs/start/index.md") == "See [it](/help/acme/articles/install 'The title').\n"
    assert (plan.report.links.total, plan.report.links.rewritten, plan.report.links.broken) == (1, 1, 0)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[a][b]\n\n[b]: b.md 'T'\n", "[a][b]\n\n[b]: /help/acme/articles/b 'T'\n"),
        ("> [a](<b.md>)\n", "> [a](/help/acme/articles/b)\n"),
        ('<a class="x" href="b.md">b</a>\n', '<a class="x" href="/help/acme/articles/b">b</a>\n'),
        ("<https://docs.example.com/b>\n", "[https://docs.example.com/b](/help/acme/articles/b)\n"),
        ("`[a](b.md)` and [ü](b.md)\n", "`[a](b.md)` and [ü](/help/acme/articles/b)\n"),
        ("```\n[a](b.md)\n```\n", "```\n[a](b.md)\n```\n"),
        ("[![alt](p.png)](b.md)\n", "[![alt]({p.png})](/help/acme/articles/b)\n"),
        ("[a](https://example.org/b.md)\n", "[a](https://example.org/b.md)\n"),
        ("[a](mailto:a@example.org)\n", "[a](mailto:a@example.org)\n"),
        ("| a |\n|---|\n| [x](b.md) |\r\n", "| a |\n|---|\n| [x](/help/acme/articles/b) |\r\n"),
    ],
)
def test_only_destinations_of_links_change(before: str, after: str) -> None:
    files = Files({"p.png": PNG})
    source = tree(page("a.md", before), page("b.md", address="/b"), sites=("https://docs.example.com",))

    assert text_of(planned(source, files), "a.md") == after


@pytest.mark.parametrize(
    ("fragment", "result"),
    [
        ("set-up-über-tor", "h-set-up-über-tor"),
        ("set-up-uber-tor", "h-set-up-über-tor"),
        ("own-id", "h-second"),
        ("mark", "h-second"),
        ("h-second", "h-second"),
    ],
)
def test_links_to_places_lead_to_the_ids_of_our_pages(fragment: str, result: str) -> None:
    target = page(
        "b.md",
        '## Set up: über Tor\n\nText.\n\n<a id="mark"></a>\n\n## Second\n',
        heading_ids=(("own-id", 1),),
    )

    plan = planned(tree(page("a.md", f"[a](b.md#{fragment})\n"), target))

    assert text_of(plan, "a.md") == f"[a](/help/acme/articles/b#{result})\n"
    assert (plan.report.links.anchors, plan.report.links.missing_anchors) == (1, 0)


REPEATED = "## Install\n\nx\n\n## Install 1\n\nx\n\n## Install\n\nx\n\n## Version\n\n## Step\n"


@pytest.mark.parametrize(
    ("format", "fragment", "result"),
    [
        ("docusaurus", "install", "h-install"),
        ("docusaurus", "install-1", "h-install-1"),
        ("docusaurus", "install-2", "h-install-2"),
        ("mkdocs", "install", "h-install"),
        ("mkdocs", "install-1", "h-install-1"),
        ("mkdocs", "install_1", "h-install-2"),
        ("docusaurus", "install_1", None),
        ("docusaurus", "install-3", None),
        ("docusaurus", "version-3", None),
        ("docusaurus", "step-2", None),
        ("mkdocs", "install-2", None),
        ("mkdocs", "version_3", None),
    ],
)
def test_numbers_of_places_follow_the_rule_of_the_source(
    format: str, fragment: str, result: str | None
) -> None:
    plan = planned(tree(page("a.md", f"[a](b.md#{fragment})\n"), page("b.md", REPEATED), format=format))

    assert text_of(plan, "a.md") == f"[a](/help/acme/articles/b#{result or fragment})\n"
    assert plan.report.links.missing_anchors == (result is None)


def test_a_title_that_a_heading_repeats_counts_as_the_first_of_both() -> None:
    plan = planned(tree(page("install.md", "## Install\n\n[a](#install-1)\n")))

    assert text_of(plan, "install.md") == "## Install\n\n[a](#install)\n"


def test_links_inside_of_a_page_use_its_headings_and_missing_places_are_told() -> None:
    plan = planned(tree(page("a.md", "# One two\n\n[x](#One_Two) [y](#gone)\n")))

    assert text_of(plan, "a.md") == "# One two\n\n[x](#one-two) [y](#gone)\n"
    assert losses_of(plan) == [like("…heading…“A”…: #gone")]


def test_equal_losses_of_a_page_are_one_with_the_first_line_and_their_number() -> None:
    rows = [Loss("a.md", "component <Method>", line) for line in (9, 4, None)]
    rows += [Loss("b.md", "component <Method>", 7), Loss("a.md", "component <Other>", 5)]

    plan = planned(tree(page("a.md"), page("b.md"), losses=tuple(rows)))

    assert plan.report.losses == [replace(rows[0], times=3), *rows[3:]]


def test_links_that_lead_nowhere_stay_and_are_told_with_their_line() -> None:
    text = "One.\n\n[a](gone.md)\n"
    files = Files({"a.md": f"---\ntitle: A\n---\n{text}".encode()})

    plan = planned(tree(page("a.md", text)), files)

    [loss] = plan.report.losses
    assert (loss.path, loss.line, loss.what) == (
        "a.md",
        6,
        like("link to a page…: gone.md"),
    )
    assert (plan.report.links.total, plan.report.links.broken) == (1, 1)


@pytest.mark.parametrize(
    ("destination", "result"),
    [
        ("../README.md", "../README.md"),
        ("examples/a.md", "examples/a.md"),
        ("/about", "https://docs.example.com/about"),
        ("/blog/2024/news", "https://docs.example.com/blog/2024/news"),
        ("https://docs.example.com/guides/later", "https://docs.example.com/guides/later"),
    ],
)
def test_links_to_parts_that_are_not_imported_are_not_called_broken(destination: str, result: str) -> None:
    source = tree(
        page("a.md", f"[a]({destination})\n", address="/guides/a"), sites=("https://docs.example.com/guides",)
    )

    plan = planned(source)

    assert text_of(plan, "a.md") == f"[a]({result})\n"
    assert losses_of(plan) == [like(f"link to…part…: {destination}")]
    assert (plan.report.links.total, plan.report.links.broken, plan.report.links.outside) == (1, 0, 1)


@pytest.mark.parametrize(
    ("destination", "what"),
    [
        ("gone.md", "page"),
        ("../docs/gone", "page"),
        ("/guides/gone", "page"),
        ("/guides/v1.2", "page"),
        ("/guides/gone.html#place", "page"),
        ("gone.csv", "file"),
        ("../gone/picture.png", "file"),
    ],
)
def test_links_into_what_is_imported_are_broken_if_nothing_is_there(destination: str, what: str) -> None:
    source = tree(page("docs/a.md", f"[a]({destination})\n", address="/guides/a"))

    plan = planned(source, Files({"docs/a.md": b"", "gone/b.png": PNG}))

    assert losses_of(plan) == [like(f"link to a {what}…: {destination}")]
    assert (plan.report.links.broken, plan.report.links.outside) == (1, 0)


def test_an_address_is_that_of_the_page_that_has_it_and_not_of_one_that_had_it() -> None:
    source = tree(
        page("moved.md", address="/new", former_addresses=("/install",)),
        page("install.md", address="/install"),
        page("a.md", "[a](/install)\n"),
    )

    plan = planned(source)

    assert text_of(plan, "a.md") == "[a](/help/acme/articles/install)\n"
    assert {row.path: row.page_key for row in plan.redirects} == {
        "/new": "moved.md",
        "/install": "install.md",
    }


def test_a_former_address_that_the_help_center_answers_itself_is_told() -> None:
    source = tree(
        page(
            "a.md",
            address="/articles/a",
            former_addresses=("/articles/b", "/contact", "/de/search", "/changelog", "/EN/", "/de/"),
        ),
        page("b.md", address="/b"),
    )

    plan = planned(source)

    assert [(loss.path, loss.what) for loss in plan.report.losses] == [
        ("/articles/b", like("old address…another article…")),
        ("/contact", like("old address…a page…")),
        ("/de/search", like("old address…a page…")),
        ("/EN", like("old address…language…")),
    ]


def test_pictures_come_from_the_folder_and_what_can_not_be_stored_is_told() -> None:
    files = Files(
        {
            "img/a.png": PNG,
            "static/b.png": PNG,
            "img/c.svg": b"<svg/>",
            "static/d.svg": b"<svg/>",
            "e.exe": b"MZ\0",
        }
    )
    text = (
        "![A](img/a.png) ![B](/b.png) ![The C](img/c.svg) ![D](/d.svg) [e](e.exe) ![F](img/f.png)\n"
        '<img src="img/a.png" alt="again">\n![W](https://example.org/w.png)\n'
    )

    plan = planned(
        tree(page("x.md", text), static_folders=("static",), sites=("https://docs.example.com",)), files
    )

    assert text_of(plan, "x.md") == (
        "![A]({img/a.png}) ![B]({static/b.png}) The C ![D](https://docs.example.com/d.svg) [e](e.exe) "
        '![F](img/f.png)\n<img src="{img/a.png}" alt="again">\n![W](https://example.org/w.png)\n'
    )
    assert losses_of(plan) == [
        like("…SVG…: img/c.svg"),
        like("…SVG…: static/d.svg"),
        like("…type…: e.exe"),
        like("image…: img/f.png"),
    ]
    counts = plan.report.files
    assert (counts.total, counts.stored, counts.listed, counts.remote) == (6, 2, 4, 1)
    # The two pictures have the same bytes, so one file is stored.
    assert len(plan.files) == 1


def test_a_translation_links_to_translations_where_there_are_some() -> None:
    source = tree(
        page("docs/a.md", "[b](b.md)\n"),
        page("docs/b.md"),
        page("i18n/de/a.md", "[b](b.md) [c](c.md)\n", locale="de", translation_of="docs/a.md"),
        page("i18n/de/b.md", locale="de", translation_of="docs/b.md"),
        page("docs/c.md"),
    )

    plan = planned(source)

    assert text_of(plan, "i18n/de/a.md") == "[b](/help/acme/de/articles/b) [c](/help/acme/articles/c)\n"
    assert page_of(plan, "i18n/de/a.md").original_key == "docs/a.md"


def test_slugs_are_those_of_the_addresses_and_of_the_folder_where_one_is_taken() -> None:
    state = BotState("acme", "en", slugs={"en": {"faq"}})
    source = tree(
        page("a.md", address="/a/install/"),
        page("b.md", address="/b/install.html"),
        page("c.md", slug="Own Slug"),
        page("d.md", title="A title", address="/"),
        page("e.md", title="FAQ"),
        page("f.md", title="By number", address="/articles/360012"),
    )

    slugs = [row.slug for row in planned(source, state=state).pages]

    assert slugs == ["install", "b-install", "own-slug", "a-title", "faq-2", "by-number"]


def test_collections_below_the_third_level_are_folded_and_told() -> None:
    names = ("one", "two", "three", "four", "five")
    collections = [
        ImportedCollection(name, name.title(), parent)
        for name, parent in zip(names, (None, *names), strict=False)
    ]
    pages = [page(f"{name}.md", collection=name) for name in ("three", "five", "four")]

    plan = planned(tree(*pages, collections=tuple(collections)))

    assert [(row.slug, row.parent) for row in plan.collections] == [
        ("one", None),
        ("two", "one"),
        ("three", "two"),
    ]
    assert [(row.collection, row.position) for row in plan.pages] == [
        ("three", 0),
        ("three", 1),
        ("three", 2),
    ]
    assert losses_of(plan) == [
        f"collection “{name}” below level 3: its pages are moved to “Three”" for name in ("Four", "Five")
    ]


def test_every_former_address_is_redirected_once_also_below_the_old_base() -> None:
    source = tree(
        page("a.md", address="/a", former_addresses=("/old/a/", "/a/", "/hc/*/articles/12*")),
        redirects=(
            ImportedRedirect("/x", "/old/a#place"),
            ImportedRedirect("/y", "https://elsewhere.example/y"),
            ImportedRedirect("/loop", "/pool"),
            ImportedRedirect("/pool", "/loop"),
        ),
        sites=("/handbook",),
    )

    plan = planned(source)

    paths = {row.path: row.page_key or row.url for row in plan.redirects}
    assert {path: target for path, target in paths.items() if not path.startswith("/handbook")} == {
        "/a": "a.md",
        "/old/a": "a.md",
        "/hc/*/articles/12*": "a.md",
        "/x": "a.md",
        "/y": "https://elsewhere.example/y",
    }
    assert "/handbook/a" in paths
    assert [what.partition(":")[0] for what in losses_of(plan)] == [
        "redirect to a page that doesn't exist"
    ] * 2


def test_the_digest_is_that_of_the_source_and_not_of_addresses_here() -> None:
    source = tree(page("a.md", "[b](b.md)\n"), page("b.md"))
    first = planned(source)
    facts = page_of(first, "a.md").facts
    earlier = {
        key: KnownPage(key, f"art_{key}", slug, "en", page_of(first, key).text.digest, facts, False, False)
        for key, slug in (("a.md", "a"), ("b.md", "renamed-here"))
    }

    second = planned(source, state=BotState("acme", "en", pages=earlier))

    assert [row.outcome for row in second.pages] == ["unchanged", "unchanged"]
    assert text_of(second, "a.md") == "[b](/help/acme/articles/renamed-here)\n"


def test_titles_and_languages_that_can_not_be_stored_are_mended_and_told() -> None:
    plan = planned(
        tree(
            page("a.md", title="word " * 100),
            page("b.md", locale="not a code"),
            page("c.md", title=" \u200b"),
        )
    )

    assert len(page_of(plan, "a.md").title) <= 200
    assert page_of(plan, "b.md").locale == "en"
    assert page_of(plan, "c.md").title == "Untitled"
    assert [what.partition(" ")[0] for what in losses_of(plan)] == ["invalid", "title"]


def test_addresses_of_collections_lead_to_them() -> None:
    source = tree(
        page("a.md", "[1](/hc/en-us/sections/360001-First) [2](https://docs.example.com/c/2/#x)\n"),
        collections=(
            ImportedCollection("first", "First", addresses=("/hc/*/sections/360001*",)),
            ImportedCollection("second", "Second", "first", addresses=("/c/2",)),
        ),
        sites=("https://docs.example.com",),
    )

    plan = planned(source, state=replace(EMPTY_BOT, help_url="https://help.example.com"))

    assert text_of(plan, "a.md") == "[1](/help/acme/collections/first) [2](/help/acme/collections/second#x)\n"
    assert [(row.path, row.url) for row in plan.redirects] == [
        ("/hc/*/sections/360001*", "https://help.example.com/collections/first"),
        ("/c/2", "https://help.example.com/collections/second"),
    ]


@pytest.mark.parametrize(
    "link", ["http://[your-host]:8080/x", "https://[a", "//[b]/c", "http://a.example\N{ACCOUNT OF}b/"]
)
def test_a_link_whose_host_nobody_can_read_stays_and_the_rest_is_imported(link: str) -> None:
    source = tree(
        page("a.md", f'[x](<{link}>) <a href="{link}">y</a> [b](b.md)\n', former_addresses=(link,)),
        page("b.md"),
        sites=("https://[your-host]/docs", "https://docs.example.com"),
    )

    plan = planned(source)

    assert text_of(plan, "a.md") == f'[x](<{link}>) <a href="{link}">y</a> [b](/help/acme/articles/b)\n'
    assert plan.report.links.external == 2


@pytest.mark.parametrize(
    ("target", "what"),
    [
        ("https://[h]/", "https://[h]/"),
        ("javascript:alert(1)", "javascript:alert(1)"),
        ("https://example.com/\0", "https://example.com/"),
        (f"https://example.com/{'a' * 2_000}", "https://example.com/aaa"),
    ],
)
def test_a_redirect_that_no_browser_may_follow_is_left_out_and_told(target: str, what: str) -> None:
    source = tree(page("a.md"), redirects=(ImportedRedirect("/old", target),))

    plan = planned(source)

    assert plan.redirects == ()
    [loss] = plan.report.losses
    assert loss.path == "/old"
    assert what in loss.what
    assert "\0" not in loss.what


def test_a_redirect_to_an_address_in_letters_of_any_language_is_kept() -> None:
    source = tree(page("a.md"), redirects=(ImportedRedirect("/old", "https://example.com/wiki/Über#é"),))

    [redirect] = planned(source).redirects

    assert redirect.url == "https://example.com/wiki/%C3%9Cber#%C3%A9"


def test_a_page_that_takes_too_long_to_render_does_not_hold_up_the_others() -> None:
    costly = "## Part\n" * 25_000
    began = time.thread_time()

    plan = planned(tree(page("a.md", costly), page("b.md", "[A](a.md)\n")))

    assert time.thread_time() - began < 5
    assert text_of(plan, "a.md") == costly


@pytest.mark.parametrize(
    ("fields", "site"),
    [
        ({"redirects": (ImportedRedirect("/docs/old", "/docs/install"),)}, None),
        ({"redirects": (ImportedRedirect("/docs/old", "https://acme.example/docs/install"),)}, "/docs"),
        ({"sites": ("https://acme.example/docs",)}, None),
        ({}, "https://acme.example/docs"),
        ({}, "/docs"),
    ],
)
def test_addresses_below_the_base_path_of_the_old_site_lead_to_articles(
    fields: dict[str, Any], site: str | None
) -> None:
    source = tree(
        page("install.md", address="/install"),
        page("a.md", "[a](/docs/install) [b](/install)\n", address="/docs/a"),
        **fields,
    )

    plan = planned(source, site=site)

    paths = {row.path: row.page_key for row in plan.redirects}
    assert paths["/install"] == paths["/docs/install"] == "install.md"
    assert paths["/docs/a"] == paths["/docs/docs/a"] == "a.md"
    assert text_of(plan, "a.md") == "[a](/help/acme/articles/install) [b](/help/acme/articles/install)\n"
    assert [what for what in losses_of(plan) if "redirect" in what] == []


def test_the_old_site_itself_is_the_first_page() -> None:
    text = "[a](https://acme.example/docs) [b](https://acme.example/docs/) [c](/docs)\n"
    state = replace(EMPTY_BOT, help_url="https://help.example")

    plan = planned(tree(page("a.md", text, address="/a")), state=state, site="https://acme.example/docs")

    assert text_of(plan, "a.md") == "[a](/help/acme/) [b](/help/acme/) [c](/help/acme/)\n"
    assert {row.path: row.url for row in plan.redirects}["/docs"] == "https://help.example/"


def test_a_link_to_the_old_site_is_none_to_the_first_page_of_a_section() -> None:
    rows = page("docs/a.md", "[x](/) [y](/#calendar)\n"), page("docs/index.md", address="/docs/")

    plan = planned(tree(*rows))

    assert text_of(plan, "docs/a.md") == "[x](/help/acme/) [y](/help/acme/)\n"


def test_redirects_to_the_first_page_and_to_folders_resolve() -> None:
    redirects = (
        ImportedRedirect("/docs/home", "/docs"),
        ImportedRedirect("/docs/old", "/docs/guides"),
        ImportedRedirect("/docs/x", "/docs/guides/install"),
    )
    state = replace(EMPTY_BOT, help_url="https://help.example")

    plan = planned(tree(page("a.md", address="/guides/install"), redirects=redirects), state=state)

    rows = {row.path: (row.page_key, row.url) for row in plan.redirects}
    assert rows["/docs/home"] == (None, "https://help.example/")
    assert rows["/docs/old"] == rows["/docs/x"] == ("a.md", None)
    assert losses_of(plan) == []


def test_redirects_of_all_below_an_address_keep_the_rest() -> None:
    redirects = (
        ImportedRedirect("/docs/*", "/*"),
        ImportedRedirect("/v1/*", "/guides/*"),
        ImportedRedirect("/blog/*", "https://blog.example/*"),
    )
    state = replace(EMPTY_BOT, help_url="https://help.example")
    pages = (page("b.md", "[a](/v1/install) [b](/blog/x)\n"), page("a.md", address="/guides/install"))

    plan = planned(tree(*pages, redirects=redirects), state=state)

    rows = {row.path: row.url for row in plan.redirects if row.url}
    assert rows == {
        "/docs/**": "https://help.example/*",
        "/v1/**": "https://help.example/guides/*",
        "/blog/**": "https://blog.example/*",
    }
    assert text_of(plan, "b.md") == "[a](/help/acme/articles/install) [b](https://blog.example/x)\n"


def test_prefix_redirect_without_a_wildcard_in_its_target_is_left_out() -> None:
    plan = planned(tree(page("a.md"), redirects=(ImportedRedirect("/docs/**", "https://docs.acme.example"),)))

    assert [row.path for row in plan.redirects if row.url] == []


@pytest.mark.parametrize("url", ["https://acme.example/docs", "https://www.acme.example/docs/"])
def test_links_to_the_old_site_become_links_between_articles(url: str) -> None:
    text = "[a](https://acme.example/docs/install#steps) [b](https://acme.example/pricing)\n"
    source = tree(page("a.md", text), page("install.md", "## Steps\n", address="/install"))

    assert text_of(planned(source), "a.md") == text
    assert text_of(planned(source, site=valid_site(url)), "a.md") == (
        "[a](/help/acme/articles/install#h-steps) [b](https://acme.example/pricing)\n"
    )


@pytest.mark.parametrize("origin", ["https://acme.example", ""])
def test_the_old_site_is_known_by_links_to_its_pages(origin: str) -> None:
    links = "".join(f"[{name}]({origin}/docs/guides/{name})\n" for name in "abc")
    pages = [page(f"{name}.md", address=f"/guides/{name}") for name in "abc"]

    plan = planned(tree(page("links.md", f"{links}[x]({origin}/pricing)\n"), *pages))

    assert plan.report.links.rewritten == 3
    assert "/docs/guides/a" in {row.path for row in plan.redirects}


@pytest.mark.parametrize(
    ("link", "others", "sites"),
    [
        ('<a href="/docs/guides/{}">x</a>', "", ("/docs",)),
        ("[x](/docs/guides/{})", "[y](/pricing)" * 4, ("/docs",)),
        ("[x](/docs/guides/{})", "[y](/pricing)" * 5, ()),
        (
            "https://acme.example/docs/guides/{}",
            "https://acme.example/docs/x\n" * 4,
            ("https://acme.example/docs",),
        ),
        ("https://acme.example/docs/guides/{}", "https://acme.example/docs/x\n" * 5, ()),
        ("[日本語](/ja/guides/{})", "", ()),
        ("[Português](/pt-br/guides/{})", "", ()),
        ("[Version 1](/v1/guides/{})", "", ()),
        ("[Version 1](/1.x/guides/{})", "", ()),
    ],
)
def test_a_base_path_is_that_of_most_links_and_no_other_language_or_version(
    link: str, others: str, sites: tuple[str, ...]
) -> None:
    pages = [page(f"{name}.md", link.format(name), address=f"/guides/{name}") for name in "abcd"]

    assert own_sites([*pages, page("other.md", others)]) == sites


@pytest.mark.parametrize(
    "text", ["ftp://x.example", "https://", "https://u:p@x.example/", "a b", "/" + "x" * 500]
)
def test_an_address_that_no_site_has_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest):
        valid_site(text)


def test_a_link_to_the_own_folder_leads_to_its_collection_or_home_and_never_to_the_page_itself() -> None:
    files = dedented(
        {
            "start.md": "---\ntitle: Start\n---\n[home](.) [home](./)\n",
            "guides/_collection.md": "---\ntitle: Guides\n---\n",
            "guides/a.md": "---\ntitle: A\n---\n[all](.) [home](..)\n",
            "more/index.md": "---\ntitle: More\n---\n[all](./)\n",
            "more/b.md": "---\ntitle: B\n---\n[more](.)\n",
        }
    )

    plan = planned(tree_of_files(files, None), files)

    texts = {path: text_of(plan, path).strip() for path in files.paths() if "_" not in path}
    assert texts == {
        "start.md": "[home](/help/acme/) [home](/help/acme/)",
        "guides/a.md": "[all](/help/acme/collections/guides) [home](/help/acme/)",
        "more/index.md": "[all](/help/acme/collections/more)",
        "more/b.md": "[more](/help/acme/articles/more)",
    }
