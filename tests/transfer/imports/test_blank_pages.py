"""Pages whose text a product generates: none becomes a live article that shows nothing."""

import json

import pytest

from instep.transfer.imports.source.formats import tree_of_files
from tests.support.import_sources import dedented, losses_of, planned, text_of
from tests.support.import_trees import told
from tests.support.wording import like

OPENAPI = {
    "openapi": "3.1.0",
    "paths": {
        "/users/{id}": {
            "get": {"operationId": "getUser", "summary": "Get a user", "description": "Reads one user."},
            "delete": {"operationId": "deleteUser"},
        }
    },
}
SPEC = json.dumps(OPENAPI, indent=2)
YAML_SPEC = """\
openapi: 3.0.0
paths:
  /users/{id}:
    get:
      operationId: getUser
      description: Reads one user.
"""
MINTLIFY = json.dumps(
    {
        "navigation": {
            "groups": [
                {"group": "Start", "pages": ["start"]},
                {
                    "group": "API",
                    "pages": ["api/overview", {"group": "Users", "pages": ["api/get", "api/del"]}],
                },
            ]
        }
    }
)
FRAME = {
    "docs.json": MINTLIFY,
    "start.mdx": "---\ntitle: Start\n---\nSee [reading](/api/get) and [deleting](api/del).\n",
    "api/overview.mdx": "---\ntitle: Overview\n---\nAll of it.\n",
    "api/get.mdx": "---\nopenapi: GET /users/{id}\n---\n",
    "api/del.mdx": "---\ntitle: Delete\nopenapi: 'openapi.json delete /users/{id}'\n---\n",
}


@pytest.mark.parametrize("spec", [{"openapi.json": SPEC}, {"specs/v1.yaml": YAML_SPEC}])
def test_a_page_of_an_operation_says_method_path_and_description(spec: dict[str, str]) -> None:
    tree = tree_of_files(dedented({**FRAME, **spec}), None)

    pages = {page.path: page for page in tree.pages}
    example = '## Example\n\n```sh\ncurl "/users/{id}"\n```\n'
    assert pages["api/get.mdx"].markdown == f"`GET /users/{{id}}`\n\nReads one user.\n\n{example}"
    # Only `openapi.json` describes the other operation.
    assert ("api/del.mdx" in pages) == ("openapi.json" in spec)
    assert [loss.path for loss in tree.losses if "DELETE /users/{id}" in loss.what] == (
        [] if "openapi.json" in spec else ["api/del.mdx"]
    )


def test_a_page_describes_the_operation_of_the_document_that_it_names() -> None:
    pages = {f"api/{name}.mdx": f"---\nopenapi: {name} GET /users/{{id}}\n---\n" for name in ("v1", "v2")}
    files = {f"{name}.json": SPEC.replace("one user", f"a {name} user") for name in ("v1", "v2")}

    tree = tree_of_files(dedented({**FRAME, **pages, **files}), None)

    texts = {page.path: page.markdown for page in tree.pages}
    for name in ("v1", "v2"):
        assert f"Reads a {name} user." in texts[f"api/{name}.mdx"]


def test_the_summary_is_the_title_of_a_page_without_one() -> None:
    tree = tree_of_files(dedented({**FRAME, "openapi.json": SPEC}), None)

    assert [page.title for page in tree.pages if page.path == "api/get.mdx"] == ["Get a user"]


def test_links_to_an_operation_without_description_lead_to_its_collection() -> None:
    files = dedented(FRAME)
    plan = planned(tree_of_files(files, None), files)

    assert [page.page.path for page in plan.pages] == ["start.mdx", "api/overview.mdx"]
    assert [row.title for row in plan.collections] == ["Start", "API"]
    assert text_of(plan, "start.mdx") == (
        "See [reading](/help/acme/collections/api) and [deleting](/help/acme/collections/api).\n"
    )
    assert {row.path: row.url for row in plan.redirects}["/api/get"] == "/collections/api"
    assert losses_of(plan).count(like("…nothing…:…left…")) == 2


@pytest.mark.parametrize(
    ("path", "page"),
    [
        (
            "content/docs/get.mdx",
            "---\ntitle: T\n_openapi:\n  method: GET\n  route: /users/{id}\n---\n<APIPage />\n",
        ),
        (
            "docs/get.api.mdx",
            '---\ntitle: T\n---\n<MethodEndpoint\n  method={"get"}\n  path={"/users/{id}"} />\n',
        ),
        ("docs/get.md", "---\ntitle: T\napi:\n  file: openapi.json\n  operationId: getUser\n---\n"),
    ],
)
def test_operations_are_known_in_the_ways_of_each_product(path: str, page: str) -> None:
    frames = {
        "content/docs/get.mdx": {
            "content/docs/meta.json": '{"pages": ["..."]}',
            "source.config.ts": "export {}",
        },
        "docs/get.api.mdx": {
            "docusaurus.config.js": "module.exports = {presets: [['classic', {docs: {}}]]};"
        },
        "docs/get.md": {"docs/_order.yaml": "- get\n"},
    }
    files = dedented({path: page, "openapi.json": SPEC, **frames[path]})

    [article] = [page for page in tree_of_files(files, None).pages if page.path == path]

    assert article.markdown.startswith("`GET /users/{id}`\n\n")
    assert "Reads one user." in article.markdown


def test_a_page_of_an_operation_keeps_its_own_words() -> None:
    files = {**FRAME, "api/get.mdx": "---\ntitle: Get\nopenapi: GET /users/{id}\n---\nOur words.\n"}

    tree = tree_of_files(dedented({**files, "openapi.json": SPEC}), None)

    [article] = [page for page in tree.pages if page.path == "api/get.mdx"]
    assert article.title == "Get"
    head, *rest = article.markdown.split("\n\n## Example")
    assert head == "`GET /users/{id}`\n\nReads one user.\n\nOur words."
    assert len(rest) == 1


@pytest.mark.parametrize(
    ("path", "frame"),
    [
        ("docs/page.mdx", {"docusaurus.config.js": "module.exports = {presets: [['classic', {docs: {}}]]};"}),
        ("page.mdx", {"docs.json": '{"navigation": {"pages": ["page", "other"]}}'}),
        ("docs/page.md", {"mkdocs.yml": "site_name: T\n"}),
        ("page.md", {".vitepress/config.ts": "export default {}"}),
        ("content/page.md", {"hugo.toml": "title = 'T'\n"}),
        ("page.md", {}),
    ],
)
@pytest.mark.parametrize("body", ["", "<!-- Later. -->\n", "import A from './a'\n\n<A />\n", "---\n"])
def test_a_page_that_shows_nothing_is_left_out_and_told(path: str, frame: dict[str, str], body: str) -> None:
    folder = path.rpartition("/")[0]
    other = f"{folder}/other.md".lstrip("/")
    files = dedented({path: f"---\ntitle: Page\n---\n{body}", other: "# Other\n\nText.\n", **frame})

    tree = tree_of_files(files, None)

    kept = [page for page in tree.pages if page.path == path]
    assert [page for page in kept if not page.markdown.strip()] == []
    assert kept or like(f"{path}: page…nothing…") in told(tree)


def test_a_page_that_is_only_a_link_shows_the_link() -> None:
    site = {
        "docs.json": '{"navigation": ["a", "forum"]}',
        "a.mdx": "Text.\n",
        "forum.mdx": '---\ntitle: Forum\nurl: "https://forum.example/(all)"\n---\n',
    }

    pages = {page.path: page for page in tree_of_files(dedented(site), None).pages}

    assert pages["forum.mdx"].markdown == "[Forum](<https://forum.example/(all)>)\n"


def test_blank_pages_show_their_children_or_description() -> None:
    files = dedented(
        {
            "guides/index.md": "---\ntitle: Guides\n---\n",
            "guides/one [1].md": "# One [1]\n\nText.\n",
            "guides/deep/index.md": "# Deep\n\nText.\n",
            "guides/deep/two.md": "# Two\n\nText.\n",
            "described.md": "---\ntitle: Described\ndescription: In a sentence.\n---\n",
            "stub.md": "# Stub\n",
            "blog/index.md": "# Blog\n",
            "blog/posts/new.md": "# New\n\nText.\n",
        }
    )
    plan = planned(tree_of_files(files, None), files)

    assert text_of(plan, "blog/index.md") == "- [New](/help/acme/articles/new)\n"

    assert text_of(plan, "guides/index.md") == (
        "- [Deep](/help/acme/articles/deep)\n- [One \\[1\\]](/help/acme/articles/one-1)\n"
    )
    texts = {page.page.path: (page.page.markdown, page.description) for page in plan.pages}
    assert texts["described.md"] == ("In a sentence.\n", None)
    assert texts["stub.md"] == ("", None)


def test_an_error_page_of_a_site_is_left_out_and_links_lead_to_its_collection() -> None:
    texts = {
        "404.md": "---\nparent: Help\n---\nGone.\n",
        "de/404.md": "---\nlang: de\npermalink: /de/404/\nparent: Help\n---\nWeg.\n",
        "fr/404.md": "---\npermalink: /fr/404.html\nparent: Help\n---\nNo language of the site.\n",
        "de.404.md": "---\nparent: Help\n---\nNo error page.\n",
        "help.md": "---\ntitle: Help\n---\n[Gone](404.md)\n",
        "_config.yml": "lang: en\n",
    }
    files = dedented(texts)
    plan = planned(tree_of_files(files, "jekyll"), files)

    assert sorted(page.page.path for page in plan.pages) == ["de.404.md", "fr/404.md", "help.md"]
    assert text_of(plan, "help.md") == "[Gone](/help/acme/collections/help)\n"
    assert losses_of(plan) == [like("error page…:…left out")] * 2


def test_a_translation_of_an_error_page_is_left_out_whatever_its_address() -> None:
    texts = {
        "content/a.md": "Text.\n",
        "content/404.md": "Gone.\n",
        "content/404.de.md": "---\nurl: /de/fehlt/\n---\nWeg.\n",
        "hugo.toml": "",
    }

    assert [page.path for page in tree_of_files(dedented(texts), "hugo").pages] == ["content/a.md"]


def test_an_empty_first_page_does_not_list_an_error_page() -> None:
    files = {"404.md": "Gone.\n", "index.md": "", "a.md": "Text.\n"}
    texts = {path: f"---\ntitle: {path[0]}\n---\n{text}" for path, text in files.items()}

    pages = {page.path: page for page in tree_of_files(dedented({**texts, "_config.yml": ""}), None).pages}

    assert pages["index.md"].markdown == "- [a](<a.md>)\n"


ERROR_ARTICLE = """\
---
title: Fix error 404
editor: markdown
dateCreated: 2024-01-01T00:00:00.000Z
---

Text.
"""


@pytest.mark.parametrize(
    ("format", "files"),
    [
        ("plain", {"404.md": ERROR_ARTICLE}),
        ("wiki", {"404.md": ERROR_ARTICLE}),
        ("wikijs", {"404.md": ERROR_ARTICLE}),
        ("gitbook", {"404.md": ERROR_ARTICLE, "SUMMARY.md": "* [Fix error 404](404.md)\n"}),
        ("mintlify", {"404.md": ERROR_ARTICLE, "docs.json": '{"navigation": {"pages": ["404"]}}'}),
        ("mkdocs", {"docs/404.md": ERROR_ARTICLE, "mkdocs.yml": "theme: material\nnav: [404.md]\n"}),
    ],
)
def test_an_article_about_an_error_is_an_article(format: str, files: dict[str, str]) -> None:
    tree = tree_of_files(dedented(files), format)

    assert ([page.title for page in tree.pages], tree.losses) == (["Fix error 404"], ())
