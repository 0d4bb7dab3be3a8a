"""Jekyll sites."""

from collections.abc import Mapping

import pytest

from instep.transfer.imports.readers.jekyll import READER
from tests.support.import_sources import read_tree
from tests.support.import_trees import outline, page_at, told
from tests.support.wording import like


def page_of(text: str, further: Mapping[str, str] | None = None) -> tuple[str, list[str]]:
    texts = {
        "_config.yml": "title: Acme\n",
        "a.md": f"---\ntitle: T\nitems: [x, y]\n---\n{text}",
        **(further or {}),
    }
    tree = read_tree(READER, texts)
    return page_at(tree, "a.md").markdown.strip(), told(tree)


def test_files_without_front_matter_are_pages_if_most_have_none() -> None:
    texts = {"_config.yml": "theme: jekyll-theme-hacker\n", "a.md": "# A\n\nWords.\n", "b/c.md": "# C\n"}

    assert outline(read_tree(READER, texts)) == ["A", "B > C"]
    described = {"d.md": "---\ntitle: D\n---\n"}
    assert sorted(outline(read_tree(READER, texts | described))) == ["A", "B > C", "D"]
    described["e.md"] = "---\ntitle: E\n---\n"
    tree = read_tree(READER, texts | described)
    assert outline(tree) == ["D", "E"]
    assert told(tree) == [like(f"{path}: file without front matter…left out") for path in ("a.md", "b/c.md")]


def test_collections_categories_and_permalinks() -> None:
    tree = read_tree(
        READER,
        {
            "_config.yml": (
                "url: https://www.example.com\nlanguages: [en, es]\ncollections_dir: content\n"
                "collections:\n  help: {output: true, permalink: '/:collection/:path/'}\n"
                "exclude: [README.md]\n"
                "defaults:\n  - scope: {path: 'content/**/*._es.md'}\n    values: {lang: es}\n"
            ),
            "README.md": "---\ntitle: Not a page\n---\n",
            "content/_help/b._en.md": (
                "---\ntitle: B\ncategory: first-steps\norder: 2\n"
                "permalink: /help/the-b/\nredirect_from: [/old/b]\n"
                "children: [/help/c/]\n---\n"
            ),
            "content/_help/b._es.md": (
                "---\ntitle: B en español\ncategory: first-steps\npermalink: /es/help/b/\n---\n"
            ),
            "content/_help/a.md": "---\ntitle: A\ncategory: first-steps\norder: 1\n---\n",
            "content/_help/c.md": "---\ntitle: C\ncategory: first-steps\nchild: true\n---\n",
            "content/_other/d.md": "---\ntitle: D\n---\n",
            "assets/plain.md": "No front matter, so no page",
        },
    )

    assert outline(tree) == [
        "First steps > A",
        "First steps > B > B",
        "First steps > B > C",
        "First steps > B > B en español",
    ]
    assert [page.address for page in tree.pages] == ["/help/a/", "/help/the-b/", "/help/c/", "/es/help/b/"]
    assert page_at(tree, "content/_help/b._en.md").former_addresses == ("/old/b",)
    spanish = page_at(tree, "content/_help/b._es.md")
    assert (spanish.locale, spanish.translation_of) == ("es", "content/_help/b._en.md")


def test_parents_by_title() -> None:
    tree = read_tree(
        READER,
        {
            "_config.yml": "",
            "index.md": "---\ntitle: Home\nnav_order: 1\n---\n",
            "docs/ui.md": "---\ntitle: UI\nnav_order: 2\n---\n",
            "docs/button.md": "---\ntitle: Button\nparent: UI\n---\n",
            "_posts/2024-05-01-news.md": "---\ntitle: News\npublished: false\n---\n",
        },
    )

    assert outline(tree) == ["Home", "UI > UI", "UI > Button", "News"]
    assert [page.address for page in tree.pages] == [
        "/",
        "/docs/ui.html",
        "/docs/button.html",
        "/2024/05/01/news.html",
    ]
    assert page_at(tree, "_posts/2024-05-01-news.md").status == "draft"


@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        ("{{ site.title }}: {% for item in page.items %}{{ item }} {% endfor %}", "Acme: x y"),
        (
            "{% capture a %}Mind{% endcapture %}{% include note.html type='warning' text=a %}",
            "> [!WARNING]\n> Mind",
        ),
        ("{% highlight ruby %}\nputs 1\n{% endhighlight %}", "```ruby\n\nputs 1\n\n```"),
        ("`{% raw %}{{ x }}{% endraw %}`", "`{{ x }}`"),
        ("Look\n{: .tip }", "> [!TIP]\n> Look"),
        ("{: .warning-title }\n> Mind\n>\n> This", "> [!WARNING] Mind\n> This"),
        ('* TOC\n{:toc}\n\n## Part\n{: #part .x}\n\n[a](b){:target="_blank"}', "## Part\n\n[a](b)"),
        ("[a]({% link b.md %}) [c]({{ '/d/' | relative_url }})", "[a](/b.md) [c](/d/)"),
        ("<ul>\n  <li><p>One</p></li>\n</ul>", "- One"),
    ],
)
def test_liquid_and_kramdown_are_plain(source: str, markdown: str) -> None:
    include = '<div class="alert alert-{{ include.type }}">{{ include.text }}</div>'

    assert page_of(source, {"_includes/note.html": include}) == (markdown, [])


def test_unsupported_liquid_is_reported() -> None:
    assert page_of("{% include none.html %}Words{% swirl %}") == (
        "Words",
        [
            like("a.md:5 Liquid…'swirl')"),
            like("a.md:5 included…: none.html"),
        ],
    )


def test_a_template_without_end_is_cut_off_and_told() -> None:
    loops = "{% for a in (1..9999) %}{% for b in (1..9999) %}x{% endfor %}{% endfor %}Words"

    markdown, losses = page_of(loops)

    assert markdown.endswith("Words")
    assert len(markdown) < 200_000
    assert losses[0].startswith("a.md:5 Liquid")
