"""Wiki.js: the files in its storage."""

from instep.transfer.imports.readers.wikijs import READER
from tests.support.file_samples import picture
from tests.support.import_sources import Files, losses_of, planned, read_tree, text_of
from tests.support.import_trees import outline, page_at


def markdown(title: str, body: str, published: str = "true") -> str:
    return (
        f"---\ntitle: {title}\ndescription: About it\npublished: {published}\ndate: 2026-01-01\n"
        f"tags: \neditor: markdown\ndateCreated: 2026-01-01\n---\n\n{body}"
    )


FILES = {
    "home.md": markdown("Welcome: all", "See [b](/en/guides/setup) and ![p](/shots/a.png)."),
    "guides.md": markdown("The guides", "> Mind\n> it\n{.is-warning}\n> Other\n{.is-info}\n"),
    "guides/setup.md": markdown("Set up", "# Set up\n\n## Tabs {.tabset}\n\n### One\n\nA\n", "false"),
    "guides/visual.html": "<!--\ntitle: Visual\npublished: true\neditor: ckeditor\n"
    'dateCreated: 2026-01-01\n-->\n\n<blockquote class="is-danger"><p>No</p></blockquote>'
    '<p><a href="/">home</a></p>',
    "de/guides/setup.md": markdown("Einrichten", "Los"),
    "shots/a.png": picture(),
    "notes/readme.md": "# Not of the wiki\n",
}


def test_pages_folders_languages_and_kinds_of_quotes() -> None:
    tree = read_tree(READER, FILES)

    assert outline(tree)[:4] == [
        "Welcome: all",
        "The guides > The guides",
        "The guides > Set up",
        "The guides > Visual",
    ]
    guides = page_at(tree, "guides.md")
    assert guides.markdown == "> [!WARNING]\n> Mind\n> it\n\n> [!NOTE]\n> Other\n"
    assert (guides.address, guides.former_addresses) == ("/guides", ("/en/guides",))
    setup = page_at(tree, "guides/setup.md")
    assert (setup.status, setup.description) == ("draft", "About it")
    assert setup.markdown == "## Tabs\n\n### One\n\nA\n"
    german = page_at(tree, "de/guides/setup.md")
    assert (german.locale, german.translation_of, german.address) == ("de", setup.key, "/de/guides/setup")
    assert page_at(tree, "guides/visual.html").markdown.startswith("> [!CAUTION]\n> No\n")


def test_links_and_images_from_the_root() -> None:
    files = Files(FILES)
    plan = planned(READER.read(files), files)

    assert "/articles/setup" in text_of(plan, "home.md")
    assert "{shots/a.png}" in text_of(plan, "home.md")
    assert losses_of(plan) == []


def test_other_markdown_is_not_a_wiki() -> None:
    assert not READER.recognises(Files({"a.md": "---\ntitle: A\n---\nText\n"}))


def test_pages_keep_their_own_visibility_and_status() -> None:
    own = "visibility: authenticated\neditor: markdown"
    files = {
        "a.md": markdown("A", "Text").replace("editor: markdown", own),
        "b.md": markdown("B: b", "Text").replace("editor: markdown", "editor: markdown\nstatus: draft"),
        "c.html": str(FILES["guides/visual.html"]).replace("editor:", "visibility: staff\neditor:"),
    }

    tree = read_tree(READER, files)

    assert page_at(tree, "a.md").visibility == "authenticated"
    assert (page_at(tree, "b.md").title, page_at(tree, "b.md").status) == ("B: b", "draft")
    assert page_at(tree, "c.html").visibility == "authenticated"
