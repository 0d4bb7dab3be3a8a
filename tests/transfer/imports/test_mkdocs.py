"""MkDocs sites, with the extensions that most of them use."""

from textwrap import dedent

import pytest

from instep.transfer.imports.readers.mkdocs import READER
from instep.transfer.imports.tree.schemas import ImportedRedirect, UnreadableSource
from tests.support.import_sources import read_tree
from tests.support.import_trees import outline, page_at, told
from tests.support.limits import SetLimit
from tests.support.wording import like

CONFIGURATION = """\
site_url: https://docs.example.com/product/
theme:
  name: material
plugins:
  - redirects:
      redirect_maps:
        old.md: start/install.md#linux
        gone.md: https://example.com/
markdown_extensions:
  - pymdownx.emoji:
      emoji_index: !!python/name:material.extensions.emoji.twemoji
  - pymdownx.snippets:
      auto_append: [includes/terms.md]
nav:
  - Home: index.md
  - Start:
    - start/index.md
    - Install: start/install.md
    - Forum: https://forum.example.com
    - Deep:
      - start/deep.md
"""


def page_of(text: str, **files: str) -> tuple[str, list[str]]:
    """The Markdown of a page with this text, and the reported losses."""
    texts = {"mkdocs.yml": "site_name: X", "docs/index.md": f"# T\n\n{text}", **files}
    tree = read_tree(READER, texts)
    return page_at(tree, "docs/index.md").markdown.strip(), told(tree)


def test_the_navigation_makes_collections_and_the_configuration_addresses() -> None:
    tree = read_tree(
        READER,
        {
            "mkdocs.yml": CONFIGURATION,
            "docs/index.md": "Welcome",
            "docs/start/index.md": "# Start here",
            "docs/start/install.md": "# Install it",
            "docs/start/deep.md": "# Deep",
            "docs/start/other.md": "# Other",
            "includes/terms.md": "",
        },
    )

    assert outline(tree) == [
        "Home > Home",
        "Start > Start here",
        "Start > Install it",
        "Start > Deep > Deep",
        "Start > Other",
    ]
    assert [page.address for page in tree.pages] == [
        "/",
        "/start/",
        "/start/install/",
        "/start/deep/",
        "/start/other/",
    ]
    assert tree.sites == ("https://docs.example.com/product", "/product")
    assert tree.redirects == (
        ImportedRedirect("/old/", "/start/install/#linux"),
        ImportedRedirect("/gone/", "https://example.com/"),
    )
    assert told(tree) == [
        like("mkdocs.yml:…navigation…: Forum"),
        like("docs/start/other.md:…navigation:…others"),
        like("docs/start/install.md: navigation label…(1 in total): such as “Install” for “Install it”"),
    ]


ZENSICAL = """\
[project]
site_url = "https://docs.example.com/product/"
nav = [{ "Home" = "index.md" }, { "Start" = ["start/install.md"] }]

[project.plugins.redirects.redirect_maps]
"old.md" = "start/install.md"

[project.markdown_extensions.pymdownx.snippets]
base_path = ["parts"]
"""


def test_the_configuration_of_zensical_is_read_before_that_of_mkdocs() -> None:
    tree = read_tree(
        READER,
        {
            "mkdocs.yml": "site_name: Old",
            "zensical.toml": ZENSICAL,
            "docs/index.md": "Welcome",
            "docs/start/install.md": '# Install it\n\n--8<-- "step.md"',
            "parts/step.md": "Press Install.",
        },
    )

    assert outline(tree) == ["Home > Home", "Start > Install it"]
    assert tree.sites == ("https://docs.example.com/product", "/product")
    assert tree.redirects == (ImportedRedirect("/old/", "/start/install/"),)
    assert "Press Install." in page_at(tree, "docs/start/install.md").markdown
    assert told(tree) == []


@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        (
            '=== "One"\n\n    ```py\n    a\n    ```\n\n=== "Two"\n\n    b',
            "::::tabs\n:::tab[One]\n```py\na\n```\n:::\n\n:::tab[Two]\nb\n:::\n::::",
        ),
        (
            '!!! warning "Mind"\n    === "A"\n        b',
            "> [!WARNING] Mind\n> ::::tabs\n> :::tab[A]\n> b\n> :::\n> ::::",
        ),
        ("++ctrl+alt+del++", "<kbd>Ctrl</kbd>+<kbd>Alt</kbd>+<kbd>Del</kbd>"),
        (":material-check: :octicons-x-24: done :smile:", "✓ done 😄"),
        ("[:octicons-book-16:](a.md)", "[book 16](a.md)"),
        ("[TOC]\n\nA\n:   The first\n\n    letter", "- **A**\n\n  The first\n\n  letter"),
        ("<br/>\n[A](https://example.com)", "<br/>\n\n[A](https://example.com)"),
        ("The API.\n\n*[API]: Application Interface", "The API (Application Interface)."),
        ("![a](b.png#only-light)![a](c.png#only-dark){ width=9 }", "![a](b.png)"),
        (
            '<a href="https://x.example">\n<img src="https://x.example/b.svg#only-dark" width="9">\n'
            '<img src="https://x.example/w.svg#only-light" class="x">\n</a>',
            "[![](https://x.example/w.svg)](https://x.example)",
        ),
        ('``` { .yaml .copy title="a.yml" hl_lines="1" }\nb\n```', "**a.yml**\n\n```yaml\nb\n```"),
        ('Edit it:\n``` yaml title="a.yml"\nb\n```', "Edit it:\n\n**a.yml**\n\n```yaml\nb\n```"),
        ('<div class="grid" markdown>\n\n- [A](a.md){ .md-button }\n\n</div>', "- [A](a.md)"),
        ("/// note | Title\nText\n///", "> [!NOTE] Title\n> Text"),
        ('=== ":octicons-file: `a.py`"\n\n    b', "::::tabs\n:::tab[a.py]\nb\n:::\n::::"),
        ('`=== "One"` and `{ .a }`', '`=== "One"` and `{ .a }`'),
    ],
)
def test_syntax_of_python_markdown_becomes_plain(source: str, markdown: str) -> None:
    assert page_of(source) == (markdown, [])


FORMULAS = {"mkdocs.yml": "site_name: X\nmarkdown_extensions:\n  - pymdownx.arithmatex: {generic: true}\n"}


def test_grids_become_cards_and_formulas_those_of_our_pages() -> None:
    text = """
    <div class="grid cards" markdown>

    -   :material-clock: __Start__

        ---

        Install it.

        ```sh
        pip install acme
        ```

    -   [Reference](b.md)

    </div>

    $$
    x^2
    $$

    The sum $a_1 + b$ costs $5 or \\$6.
    """
    assert page_of(dedent(text), **FORMULAS)[0] == dedent("""\
        ::::cards
        :::card
        __Start__

        Install it.

        ```sh
        pip install acme
        ```
        :::

        :::card
        [Reference](b.md)
        :::
        ::::

        ```math
        x^2
        ```

        The sum $`a_1 + b`$ costs $5 or \\$6.""")
    assert page_of("The sum $a$.")[0] == "The sum $a$."


@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        ("\\[\nx\\$\n\\]\n\nA \\(y + 1\\) b.", "```math\nx\\$\n```\n\nA $`y + 1`$ b."),
        ("> $$\n> x\n> $$", "> ```math\n> x\n> ```"),
        ("$$\n> 0\n$$", "```math\n> 0\n```"),
        ("> $$\n> \\left< a \\right>\n> $$", "> ```math\n> \\left< a \\right>\n> ```"),
        ("> $$\n> a > b\n> > c\n> $$", "> ```math\n> a > b\n> > c\n> ```"),
        ("> > $$ a >$$", "> > ```math\n> > a >\n> > ```"),
        ("- $$\n  x\n  $$\n- y\n\n    $$z$$", "- ```math\n  x\n  ```\n- y\n\n    ```math\n    z\n    ```"),
        # Not formulas: these delimiters enclose paragraphs or code.
        ("$$\nOne\n\nTwo\n$$", "$$\nOne\n\nTwo\n$$"),
        ("$$\n```sh\nls\n```\n$$", "$$\n```sh\nls\n```\n$$"),
        ("\\[\n`a`\n\\]", "\\[\n`a`\n\\]"),
        ("A \\(`a`\\) b", "A \\(`a`\\) b"),
    ],
)
def test_formulas_have_one_paragraph_and_no_code(source: str, markdown: str) -> None:
    assert page_of(source, **FORMULAS)[0] == markdown


def test_spans_lose_their_language_and_links_without_a_definition_are_told() -> None:
    site = "markdown_extensions: [pymdownx.inlinehilite]"
    text = "`#!sh ls` [a][b] [c][meta.tags] [d][two  words] x[0][1]\n\n  [B]: https://b.example\n"
    text += "[Two words ]: c.md\n\n<!-- [e][f] -->\n"

    markdown, losses = page_of(text, **{"mkdocs.yml": site})

    assert markdown.startswith("`ls` [a][b] [c][meta.tags]")
    assert losses == [like("docs/index.md:3 link whose target isn't defined…: [c][meta.tags]")]


def test_snippets_are_put_in_and_missing_ones_told() -> None:
    text = '--8<-- "part.md:two"\n\n--8<-- "none.md"\n\n```\n--8<-- "part.md"\n;--8<-- "x"\n```'
    text += f'\n\n--8<-- "part.md:²"\n\n--8<-- "part.md:{"9" * 5_000}"'
    part = "One\n<!-- --8<-- [start:two] -->\nTwo `{.x}`\n<!-- --8<-- [end:two] -->\n"

    markdown, losses = page_of(text, **{"docs/part.md": part})

    assert markdown.startswith("Two `{.x}`")
    assert '```\nOne\nTwo `{.x}`\n--8<-- "x"\n```' in markdown
    assert like("docs/index.md:5 …none.md") in losses


def test_snippets_that_include_each_other_end_and_are_told() -> None:
    parts = {"docs/a.md": '--8<-- "b.md"', "docs/b.md": 'Words.\n--8<-- "a.md"'}

    markdown, losses = page_of('--8<-- "a.md"\n', **parts)

    assert "Words." in markdown
    assert any("each other" in loss for loss in losses)


def test_snippets_of_a_page_have_a_limited_size(set_limit: SetLimit) -> None:
    set_limit("MAX_IMPORT_TEMPLATE_BYTES", 10)

    markdown, losses = page_of('--8<-- "part.md"\n' * 3, **{"docs/part.md": "Part"})

    assert markdown == "Part\nPart"
    assert losses == [like("docs/index.md:… …part.md… too large")]


def test_a_page_that_is_too_large_for_its_place_stays_an_article(set_limit: SetLimit) -> None:
    set_limit("MAX_IMPORT_TEMPLATE_BYTES", 10)
    pages = {"docs/index.md": '--8<-- "docs/part.md"\n--8<-- "none.md"', "docs/part.md": "Many words."}

    tree = read_tree(READER, {"mkdocs.yml": "nav: [index.md]", **pages})

    assert page_at(tree, "docs/part.md").markdown == "Many words.\n"
    assert told(tree)[:2] == [
        like("docs/index.md:1 file docs/part.md, because… too large"),
        like("docs/index.md:2 snippet that isn't in the source: none.md"),
    ]


def test_only_the_appended_definitions_that_a_page_uses_are_on_it() -> None:
    tree = read_tree(
        READER,
        {
            "mkdocs.yml": CONFIGURATION,
            "docs/index.md": "See [the site].",
            "includes/terms.md": "[the site]: https://example.com\n[other]: https://other.example\n",
        },
    )

    assert page_at(tree, "docs/index.md").markdown == "See [the site].\n\n[the site]: https://example.com\n"


def test_links_in_html_are_relative_to_the_address() -> None:
    tree = read_tree(
        READER, {"mkdocs.yml": "", "docs/a/b.md": '# B\n\n<img src="../../i.png"> <a href="../c/">C</a>'}
    )

    assert page_at(tree, "docs/a/b.md").markdown == "![](/i.png) [C](/a/c/)\n"


def test_macros_are_told() -> None:
    assert page_of("Version {{ version }}")[1] == ["docs/index.md:3 macro {{ version }}"]


def test_a_configuration_that_is_not_valid_is_refused_with_its_line() -> None:
    with pytest.raises(UnreadableSource, match=r"mkdocs\.yml.*line 3"):
        read_tree(READER, {"mkdocs.yml": "nav:\n - a: [", "docs/index.md": ""})
