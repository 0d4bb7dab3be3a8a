"""Repositories that are synchronized with GitBook."""

import pytest

from instep.transfer.imports.readers.gitbook import READER
from instep.transfer.imports.tree.schemas import ImportedRedirect
from tests.support.import_sources import read_tree
from tests.support.import_trees import outline, page_at, told
from tests.support.wording import like

SUMMARY = """\
# Table of contents

* [Welcome](README.md)

## Use <a href="#use" id="use"></a>

* [Guides](guides/README.md)
  * [\\[Beta\\] First](guides/first\\_one.md)
  * [First again](guides/first_one.md#more)
* [Elsewhere](https://example.com)
"""


def page_of(text: str) -> tuple[str, list[str]]:
    files = {
        "SUMMARY.md": "* [T](README.md)",
        "README.md": f"# T\n\n{text}",
        ".gitbook/includes/a.md": "Shared *words*",
        ".gitbook/includes/b.md": (
            '{% hint style="info" %}\n{% include "a.md" %}\n{% endhint %}\n\n```\n<div>{% hint %}\n```\n'
        ),
        ".gitbook/includes/loop.md": 'Round\n{% include "loop.md" %}',
    }
    tree = read_tree(READER, files)
    return page_at(tree, "README.md").markdown.strip(), told(tree)


def test_the_summary_makes_collections_and_the_configuration_redirects() -> None:
    tree = read_tree(
        READER,
        {
            ".gitbook.yaml": "root: ./docs/\nredirects:\n  old/page: ./guides/first_one.md\n",
            "docs/SUMMARY.md": SUMMARY,
            "docs/README.md": "# Welcome to us",
            "docs/guides/README.md": "---\ndescription: All guides\n---\n# Guides",
            "docs/guides/first_one.md": "---\nhidden: true\n---\n# First",
            "docs/guides/new.md": "# New",
        },
    )

    assert outline(tree) == [
        "Welcome to us > Welcome to us",
        "Use > Guides > Guides",
        "Use > Guides > First",
        "Use > Guides > New",
    ]
    assert [page.address for page in tree.pages] == ["/", "/guides", "/guides/first_one", "/guides/new"]
    assert [page.status for page in tree.pages] == ["published", "published", "draft", "published"]
    assert page_at(tree, "docs/guides/README.md").description == "All guides"
    assert tree.redirects == (ImportedRedirect("/old/page", "/guides/first_one"),)


@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        ('{% hint style="danger" %}\nMind `{% this %}`\n{% endhint %}', "> [!CAUTION]\n> Mind `{% this %}`"),
        (
            '{% tabs %}\n{% tab title="A" %}\nOne\n{% endtab %}\n\n'
            '{% tab title="B" %}\nTwo\n{% endtab %}\n{% endtabs %}',
            "::::tabs\n:::tab[A]\nOne\n:::\n\n:::tab[B]\nTwo\n:::\n::::",
        ),
        (
            '* a\n\n  {% hint style="info" %}\n  b\n\n  ```\n  c\n  ```\n  {% endhint %}',
            "* a\n\n  > [!NOTE]\n  > b\n  >\n  > ```\n  > c\n  > ```",
        ),
        ('{% code title="a.py" %}\n```python\nb\n```\n{% endcode %}', "**a.py**\n\n```python\nb\n```"),
        ("{% stepper %}\n{% step %}\n### One\nDo\n{% endstep %}\n{% endstepper %}", "### One\nDo"),
        ('{% content-ref url="a/" %}\n[a](a/)\n{% endcontent-ref %}', "[a](a/)"),
        ('{% page-ref page="a/b.md" %}', "[b.md](a/b.md)"),
        ('{% embed url="https://v.example/1" %}\nWatch\n{% endembed %}', "[Watch](https://v.example/1)"),
        ('{% include ".gitbook/includes/a.md" %}', "Shared *words*"),
        (
            '{% include ".gitbook/includes/b.md" %}',
            "> [!NOTE]\n> Shared *words*\n\n```\n<div>{% hint %}\n```",
        ),
        (
            '<figure><img src="i (1).png" alt="A"><figcaption><p>B</p></figcaption></figure>',
            "![A](i%20%281%29.png)\n\n*B*",
        ),
        ("| a |\n| - |\n| <p>b</p><p>c</p> |", "| a |\n| - |\n| b<br>c |"),
    ],
)
def test_blocks_of_gitbook_are_plain(source: str, markdown: str) -> None:
    assert page_of(source) == (markdown, [])


def test_texts_that_include_each_other_end_and_are_told() -> None:
    markdown, losses = page_of('{% include ".gitbook/includes/loop.md" %}')

    assert markdown.startswith("Round\n\nRound")
    assert losses == [like("README.md:… because files include each other…")]


def test_settings_count_for_the_size_of_the_files_of_a_page() -> None:
    include = '{% include "x.md" %}\n'
    files = {"SUMMARY.md": "* [T](README.md)", "README.md": include}

    tree = read_tree(READER, {**files, "x.md": f"---\nx: {'y' * 300_000}\n---\nRound\n{include * 2}"})

    assert page_at(tree, "README.md").markdown.count("Round") == 3
    assert any("too large" in loss for loss in told(tree))


def test_the_words_of_unknown_tags_stay_and_the_tag_is_told() -> None:
    assert page_of("{% swirl %}\nWords\n{% endswirl %}") == (
        "Words",
        ["README.md:3 tag {% swirl %}, reduced to its text"],
    )


def test_ids_of_headings_are_taken_out() -> None:
    tree = read_tree(READER, {"SUMMARY.md": "", "a.md": '# A\n\n## B <a href="#c" id="c"></a>\n'})

    assert page_at(tree, "a.md").markdown == "## B\n"
    assert page_at(tree, "a.md").heading_ids == (("c", 0),)
