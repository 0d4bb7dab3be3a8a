"""Hugo sites."""

import json

import pytest

from instep.transfer.imports.readers.hugo import READER
from tests.support.import_sources import read_tree
from tests.support.import_trees import outline, page_at, told
from tests.support.wording import like


def page_of(text: str) -> tuple[str, list[str]]:
    files = {
        "hugo.toml": 'baseURL = "https://example.com/"',
        "content/a/p.md": f"---\ntitle: T\n---\n{text}",
        **dict.fromkeys(("content/a/flow-large.png", "content/a/flow.md", "content/a/flow.png"), b""),
        "content/_parts/one.md": "---\n---\nPart `{{</* x */>}}`",
    }
    tree = read_tree(READER, files)
    return page_at(tree, "content/a/p.md").markdown.strip(), told(tree)


def test_permalinks_of_the_configuration_give_addresses() -> None:
    guides = {"guides": "/learn/:sections/:contentbasename/", "other": "/:weekday/:slug/"}
    tree = read_tree(
        READER,
        {
            "hugo.json": json.dumps({"permalinks": {"posts": "/:year/:slug", "page": guides}}),
            "content/posts/one.md": "---\ntitle: The first\ndate: 2026-03-01T10:00:00Z\n---\n",
            "content/posts/two.md": "---\ntitle: Without a day\n---\n",
            "content/guides/a/_index.md": "---\ntitle: A\n---\n",
            "content/guides/a/b.md": "---\ntitle: B\n---\n",
            "content/other/c.md": "---\ntitle: C\n---\n",
        },
    )

    assert {page.title: page.address for page in tree.pages} == {
        "The first": "/2026/the-first/",
        "Without a day": "/posts/two/",
        "A": "/guides/a/",
        "B": "/learn/guides/a/b/",
        "C": "/other/c/",
    }


def test_weights_order_and_front_matter_gives_addresses() -> None:
    tree = read_tree(
        READER,
        {
            "hugo.yaml": "baseURL: https://docs.example.com/\ndefaultContentLanguage: en\n",
            "content/_index.md": "---\ntitle: Home\n---\n",
            "content/guides/_index.md": "+++\ntitle = 'The guides'\nlinkTitle = 'Guides'\nweight = 2\n+++\n",
            "content/guides/b.md": "---\ntitle: B\nweight: 1\naliases: [/old/b/, older]\n---\n",
            "content/guides/a.md": "---\ntitle: A\nslug: an-a\ndraft: true\n---\n",
            "content/start/_index.md": '{"title": "Start", "weight": 1}\n',
            "content/start/bundle/index.md": "---\ntitle: Bundle\nurl: /the-bundle/\n---\n![i](i.png)",
            "content/start/bundle/index.de.md": "---\ntitle: Bündel\n---\n",
        },
    )

    assert outline(tree) == [
        "Home",
        "Start > Start",
        "Start > Bundle",
        "Guides > The guides",
        "Guides > B",
        "Guides > A",
        "Start > Bündel",
    ]
    assert page_at(tree, "content/guides/b.md").former_addresses == ("/old/b/", "/guides/older/")
    assert [page.address for page in tree.pages] == [
        "/",
        "/start/",
        "/the-bundle/",
        "/guides/",
        "/guides/b/",
        "/guides/an-a/",
        "/de/start/bundle/",
    ]
    assert page_at(tree, "content/guides/a.md").status == "draft"
    assert page_at(tree, "content/start/bundle/index.de.md").translation_of == "content/start/bundle/index.md"


VIDEO = "https://www.youtube.com/watch?v=abc"


@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        ('{{< callout type="warning" >}}\nMind\n{{< /callout >}}', "> [!WARNING]\n> Mind"),
        ('{{% alert title="Hey" color="info" %}}Mind{{% /alert %}}', "> [!NOTE] Hey\n> Mind"),
        ("> [!danger]+ Mind\n> b", "> [!CAUTION] Mind\n> b"),
        ('{{< tabs >}}{{< tab "A" >}}One{{< /tab >}}{{< /tabs >}}', "::::tabs\n:::tab[A]\nOne\n:::\n::::"),
        ("{{< highlight go >}}\nx := `{{ y }}`\n{{< /highlight >}}", "```go\nx := `{{ y }}`\n```"),
        (
            "{{< code-toggle file=hugo >}}\n[a]\nb = 1\n{{< /code-toggle >}}",
            "**hugo**\n\n```\n[a]\nb = 1\n```",
        ),
        ('{{< figure src="i.png" alt="A" caption="B" >}}', "![A](i.png)\n\nB"),
        ("{{< imgproc flow Resize 800x >}}\nB\n{{< /imgproc >}}", "![](flow.png)\n\nB"),
        ('{{< figure src="flow" >}}', "![](flow)"),
        ('{{< card link="/b" title="A" subtitle="B" />}}', "**[A](/b)**\n\nB"),
        ('{{% card header="[A](/b)" %}}\nB\n{{% /card %}}', "**[A](/b)**\n\nB"),
        ("{{< youtube abc >}}", f":::video\n[{VIDEO}]({VIDEO})\n:::"),
        ('[a]({{< ref "/a/b.md#c" >}})', "[a](/a/b.md#c)"),
        ('{{% include "/_parts/one.md" %}}', "Part `{{< x >}}`"),
        ("```\n{{</* shown */>}}\n```", "```\n{{< shown >}}\n```"),
        ("{{</* a\n\n```\nb\n```\n\nc */>}}", "{{</* a\n\n```\nb\n```\n\nc */>}}"),
        ("a [word](g) b [c](a/p)", "a word b [c](/a/p)"),
        ("term\n: The `meaning`", "- **term**\n\n  The `meaning`"),
    ],
)
def test_shortcodes_and_additions_of_hugo_are_plain(source: str, markdown: str) -> None:
    assert page_of(source) == (markdown, [])


@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        ('Click {{< x title="Gear" >}} to open', "Click Gear to open"),
        ('| {{< x title="Yes" >}} | x |', "| Yes | x |"),
        ('- {{< x title="Go" link="/b" />}}', "- [Go](/b)"),
        ('{{< x title="Hint" >}}Word{{< /x >}} to open', "Word to open"),
        ('{{< x title="Head" >}}Text{{< /x >}}', "**Head**\n\nText"),
        ('{{< x title="Head" >}}\nText\n{{< /x >}}\nMore', "**Head**\n\nText\n\nMore"),
        ('{{< x title="Head" >}} \nMore', "**Head**\n\nMore"),
    ],
)
def test_the_title_of_an_unknown_shortcode_is_a_block_only_if_the_shortcode_is_one(
    source: str, markdown: str
) -> None:
    assert page_of(source) == (markdown, ["content/a/p.md:4 shortcode x, reduced to its text"])


def test_unknown_shortcodes_are_told_and_their_words_stay() -> None:
    text = (
        '{{% talk youtube="abc" title="Our talk" %}}\n{{% /talk %}}\n\n'
        'New {{< since 1.2 />}} {{< swirl "a" >}}*words*{{< /swirl >}}\n\n'
        "See [this][x].\n\n[x]: {{% made x %}}\n"
    )

    assert page_of(text) == (
        "**Our talk**\n\nNew 1.2 *words*\n\nSee this.",
        [
            like("content/a/p.md:11…shortcode…"),
            "content/a/p.md:4 shortcode talk, reduced to its text",
            "content/a/p.md:7 shortcode since",
            "content/a/p.md:7 shortcode swirl, reduced to its text",
        ],
    )
