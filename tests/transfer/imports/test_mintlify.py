"""Mintlify's `docs.json` and pages."""

import json

import pytest

from instep.transfer.imports.readers.mintlify import READER
from instep.transfer.imports.tree.schemas import UnreadableSource
from tests.support.import_sources import Files, dedented
from tests.support.import_trees import addresses, outline, redirects, told
from tests.support.limits import SetLimit
from tests.support.wording import like

DOCS: dict[str, object] = {
    "navigation": {
        "tabs": [
            {
                "tab": "Guides",
                "groups": [
                    {"group": "Start", "root": "start/index", "pages": ["start/install", "gone"]},
                    {"group": "More", "pages": [{"group": "Deep", "pages": ["deep/one"]}]},
                ],
            },
            {"tab": "API", "openapi": "openapi.json"},
        ]
    },
    "redirects": [
        {"source": "/old", "destination": "/start/install"},
        {"source": "/b/:slug*", "destination": "/a/:slug*"},
        {"source": "/c/:slug*", "destination": "/b"},
        {"source": "/d/:slug/e", "destination": "/b"},
    ],
}
PAGES = {
    "start/index.mdx": "---\ntitle: Welcome\ndescription: First steps\n---\nHello.\n",
    "start/install.mdx": "---\ntitle: Install\n---\nimport T from '/snippets/t.mdx'\n\n<T />\n",
    "deep/one.mdx": "---\ntitle: One\n---\nDeep.\n",
    "loose.mdx": "---\ntitle: Loose\n---\nAlone.\n",
    "snippets/t.mdx": "From a snippet.\n",
    "README.md": "# About this repository\n",
}


ANSWER = {"responses": {"200": {"description": "Fine."}}}
USERS = {"get": {"tags": ["Big Users"], "summary": "Get a user", **ANSWER}, "delete": ANSWER}


def api(**fields: object) -> str:
    return json.dumps({"openapi": "3.1.0", "paths": {"/users/{id}": fields}})


def test_an_api_reference_has_a_page_for_each_operation_below_its_tag() -> None:
    setting = {"source": "/api/v1.json", "directory": "reference"}
    docs = {"navigation": {"tabs": [{"tab": "API", "openapi": setting}]}}
    pages = {"gone.mdx": "---\nopenapi: delete /users/{id}\n---\nGone.\n"}
    document = api(**USERS, put={"x-excluded": True})

    tree = READER.read(dedented({"docs.json": json.dumps(docs), "api/v1.json": document, **pages}))

    assert outline(tree) == ["API > Big Users > Get a user", "API > Gone"]
    assert addresses(tree)["api/v1.json#GET /users/{id}"] == "/reference/big-users/get-a-user"
    assert told(tree) == ["API: pages after a group (1 in total): articles are listed apart from groups"]


def test_an_api_with_pages_imports_only_its_listed_operations() -> None:
    groups = [{"group": "Users", "pages": ["GET /users/{id}", "GET /gone"]}]
    tabs = [
        {"tab": "API", "openapi": "v1.json", "pages": ["about"]},
        {"tab": "More", "openapi": "v1.json", "groups": groups},
    ]
    files = {"v1.json": api(**USERS), "about.mdx": "About it.\n"}

    tree = READER.read(dedented({"docs.json": json.dumps({"navigation": {"tabs": tabs}}), **files}))

    assert outline(tree) == ["API > About", "More > Users > Get a user"]
    assert told(tree) == [like("docs.json: navigation entry…: GET /gone")]


def test_a_page_is_about_the_operation_of_its_document_and_language() -> None:
    tabs = [{"tab": name, "openapi": f"{name}.json"} for name in ("a", "b")]
    languages = [{"language": "en", "tabs": tabs}, {"language": "fr", "pages": []}]
    files = {
        "a.json": api(get=ANSWER),
        "b.json": api(get=ANSWER),
        "own.mdx": "---\nopenapi: b GET /users/{id}\n---\nOwn.\n",
        "fr/own.mdx": "---\nopenapi: a.json GET /users/{id}\n---\nPropre.\n",
    }

    tree = READER.read(dedented({"docs.json": json.dumps({"navigation": {"languages": languages}}), **files}))

    assert [page.key for page in tree.pages] == ["a.json#GET /users/{id}", "own.mdx", "fr/own.mdx"]


def test_operations_of_older_versions_are_left_out() -> None:
    versions = [{"version": f"v{number}", "openapi": f"v{number}.json"} for number in (2, 1)]
    files = {f"v{number}.json": api(**USERS) for number in (1, 2)}
    files["two.mdx"] = "---\nopenapi: v1.json DELETE /users/{id}\n---\nOne.\n"

    tree = READER.read(dedented({"docs.json": json.dumps({"navigation": {"versions": versions}}), **files}))

    assert {page.key for page in tree.pages} == {"v2.json#GET /users/{id}", "v2.json#DELETE /users/{id}"}
    assert told(tree) == [like("docs.json: version v1 with 2 pages…")]


def test_a_document_that_can_not_be_read_or_is_too_long_is_a_loss(set_limit: SetLimit) -> None:
    set_limit("MAX_API_OPERATIONS", 1)
    tabs = [{"tab": "Bad", "openapi": "bad.yaml"}, {"tab": "API", "openapi": "v1.json"}]
    files = {"bad.yaml": "openapi: 3.1.0\npaths: [\n", "v1.json": api(**USERS)}

    tree = READER.read(dedented({"docs.json": json.dumps({"navigation": {"tabs": tabs}}), **files}))

    assert outline(tree) == ["API > Big Users > Get a user"]
    assert told(tree) == [
        like("bad.yaml: API description that can't be read: …"),
        like("v1.json: API operations after the first 1: 1"),
    ]


def test_navigation_pages_and_redirects() -> None:
    tree = READER.read(dedented({"docs.json": json.dumps(DOCS), **PAGES}))

    assert outline(tree) == [
        "Guides > Start > Welcome",
        "Guides > Start > Install",
        "Guides > More > Deep > One",
        "Loose",
    ]
    assert addresses(tree) == {
        "start/index.mdx": "/start",
        "start/install.mdx": "/start/install",
        "deep/one.mdx": "/deep/one",
        "loose.mdx": "/loose",
    }
    assert tree.pages[0].description == "First steps"
    assert tree.pages[1].markdown == "From a snippet.\n"
    assert redirects(tree) == [
        ("/old", "/start/install"),
        ("/b/*", "/a/*"),
        ("/c", "/b"),
        ("/c/*", "/b"),
        ("/c/*/*", "/b"),
        ("/c/*/*/*", "/b"),
    ]
    assert told(tree) == [
        like("docs.json:…navigation…: gone"),
        like("docs.json: API reference…: API"),
        like("loose.mdx:…navigation:…others"),
        like("docs.json: redirect from /d/:slug/e…"),
    ]


def test_a_project_below_the_root_and_other_languages() -> None:
    languages = [
        {"language": "en", "groups": [{"group": "Start", "pages": ["install"]}]},
        {"language": "fr", "groups": [{"group": "Début", "pages": ["fr/install"]}]},
    ]
    files = dedented(
        {
            "docs/mint.json": json.dumps({"navigation": {"languages": languages}}),
            "docs/install.mdx": "# Install\n",
            "docs/fr/install.mdx": "# Installer\n",
        }
    )

    assert READER.recognises(files)
    tree = READER.read(files)
    assert outline(tree) == ["Start > Install", "Start > Installer"]
    assert [(page.locale, page.address, page.translation_of) for page in tree.pages] == [
        ("en", "/install", None),
        ("fr", "/fr/install", "docs/install.mdx"),
    ]


def test_a_page_outside_of_the_navigation_comes_to_what_holds_the_pages_beside_it() -> None:
    groups = [{"group": "First", "pages": ["docs/a"]}, {"group": "Second", "pages": ["docs/b", "docs/c/d"]}]
    tree = READER.read(
        dedented(
            {
                "docs.json": json.dumps({"navigation": {"tabs": [{"tab": "Guides", "groups": groups}]}}),
                **{f"docs/{name}.mdx": f"# {name}\n\nText" for name in ("a", "b", "c/d", "c/e", "old/f")},
            }
        )
    )

    assert outline(tree) == [
        "Guides > First > a",
        "Guides > Second > b",
        "Guides > Second > c/d",
        "Guides > Second > c/e",
        "Guides > old/f",
    ]


def test_pages_before_a_group_stay_before_it_and_other_labels_are_told() -> None:
    deep = {"group": "Deep", "pages": ["b"]}
    pages = ["a", {"group": "Guides", "pages": [deep, "c"]}, "d"]
    texts = {name: f"# {name.upper()}\n" for name in "abcde"}
    texts["c"] = "---\ntitle: C of all\nsidebarTitle: C\n---\nText\n"
    files = {f"{name}.mdx": text for name, text in texts.items()}
    tree = READER.read(dedented({"docs.json": json.dumps({"navigation": {"pages": pages}}), **files}))

    assert outline(tree) == ["A > A", "Guides > Deep > B", "Guides > C of all", "D", "E"]
    assert told(tree) == [
        "Guides: pages after a group (1 in total): articles are listed apart from groups",
        like("e.mdx: page that isn't in the navigation: placed after the others"),
        "c.mdx: navigation label other than the title (1 in total): such as “C” for “C of all”",
    ]


def test_a_page_that_is_listed_twice_adds_no_empty_collection_and_is_not_late() -> None:
    again = {"group": "Again", "pages": ["a"]}
    guides = {"group": "Guides", "pages": [again, "b", {"group": "Deep", "pages": ["c"]}, "a"]}
    files = {f"{name}.mdx": f"# {name.upper()}\n" for name in "abcd"}
    pages = ["a", guides, "a", {"group": "More", "pages": ["d"]}]

    tree = READER.read(Files({"docs.json": {"navigation": {"pages": pages}}, **files}))

    assert outline(tree) == ["A > A", "Guides > B", "Guides > Deep > C", "More > D"]
    assert [row.title for row in tree.collections] == ["A", "Guides", "Deep", "More"]
    assert told(tree) == [like("Again: group without pages of its own…")]


def test_a_page_that_only_other_pages_show_is_no_article() -> None:
    use = "import T from '/parts/terms.mdx'\n\n<T />\n"
    files = {"parts/terms.mdx": "# Terms\n\nPay.\n", "a.mdx": f"# A\n\n{use}", "b.mdx": f"# B\n\n{use}"}
    tree = READER.read(dedented({"docs.json": '{"navigation": {"pages": ["a", "b"]}}', **files}))

    assert outline(tree) == ["A", "B"]
    assert tree.pages[0].former_addresses == ("/parts/terms",)
    assert told(tree) == [
        like("parts/terms.mdx: page that isn't in the navigation: left out, because other pages include…")
    ]
    listed = {"docs.json": '{"navigation": {"pages": ["a", "parts/terms"]}}', **files}
    assert outline(READER.read(dedented(listed))) == ["A", "Terms", "B"]


def included(*names: str) -> str:
    return "".join(f"import T{name[-1]} from '/{name}.mdx'\n\n<T{name[-1]} />\n\n" for name in names)


@pytest.mark.parametrize(
    ("navigation", "files", "titles", "addresses"),
    [
        # A snippet inside another one.
        ({"pages": ["a"]}, {"a": included("s"), "s": included("t"), "t": "Text\n"}, ["A"], {"/s", "/t"}),
        # Two snippets that only include each other, and one that includes itself.
        (
            {"pages": ["a"]},
            {"a": "Text\n", "s": included("t"), "t": included("s"), "u": included("u")},
            ["A", "S", "T", "U"],
            set[str](),
        ),
        # A snippet whose only host page is not imported.
        (
            {"versions": [{"version": "2", "pages": ["a"]}, {"version": "1", "pages": ["b"]}]},
            {"a": "Text\n", "b": included("s"), "s": "Text\n"},
            ["A", "S"],
            set[str](),
        ),
        # A translation whose original is listed, and a translation that no page includes.
        (
            {"languages": [{"language": "en", "pages": ["a", "t"]}, {"language": "fr", "pages": ["fr/a"]}]},
            {
                **{"a": included("s"), "s": "Text\n", "fr/s": "Texte\n"},
                **{"t": "Text\n", "fr/t": "Texte\n", "fr/a": included("fr/t")},
            },
            ["A", "FR/A", "FR/S", "FR/T", "S", "T"],
            set[str](),
        ),
    ],
)
def test_a_page_whose_text_arrives_nowhere_else_is_an_article(
    navigation: dict[str, object], files: dict[str, str], titles: list[str], addresses: set[str]
) -> None:
    texts = {f"{name}.mdx": f"---\ntitle: {name.upper()}\n---\n{text}" for name, text in files.items()}

    tree = READER.read(Files({"docs.json": {"navigation": navigation}, **texts}))

    assert sorted(page.title for page in tree.pages) == titles
    assert {address for page in tree.pages for address in page.former_addresses} == addresses


def test_only_the_newest_version_is_imported() -> None:
    versions = [{"version": "v2", "pages": ["two"]}, {"version": "v1", "pages": ["one"]}]
    files = dedented(
        {
            "docs.json": json.dumps({"navigation": {"versions": versions}}),
            "two.mdx": "# Two\n",
            "one.mdx": "# One\n",
        }
    )

    tree = READER.read(files)

    assert outline(tree) == ["Two"]
    assert told(tree) == [like("docs.json: version v1…")]


def test_a_wrong_configuration_says_what_to_do() -> None:
    with pytest.raises(UnreadableSource, match=r"^docs.json"):
        READER.read(dedented({"docs.json": '{"navigation": '}))


def test_comparisons_are_no_tags() -> None:
    files = {"docs.json": '{"navigation": ["a"]}', "a.mdx": "---\ntitle: A\n---\nif a<b and c>d"}

    tree = READER.read(Files(files))

    assert told(tree) == []
    assert tree.pages[0].markdown == "if a\\<b and c>d\n"
