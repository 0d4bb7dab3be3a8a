"""WordPress: XML exports."""

import pytest

from instep.transfer.imports.readers.wordpress import READER
from instep.transfer.imports.tree.schemas import UnreadableSource
from tests.support.import_product_files import page_of, told
from tests.support.import_sources import Files, read_tree
from tests.support.wording import like

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/"
 xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/"><channel>
<title>Help</title><link>https://help.example.com</link><language>en-US</language>
<wp:category><wp:category_nicename>start</wp:category_nicename><wp:category_parent></wp:category_parent>
<wp:cat_name><![CDATA[Getting started]]></wp:cat_name></wp:category>
<wp:category><wp:category_nicename>setup</wp:category_nicename><wp:category_parent>start</wp:category_parent>
<wp:cat_name><![CDATA[Set-up]]></wp:cat_name></wp:category>"""
TAIL = "</channel></rss>"


def item(
    number: int, title: str, content: str, rest: str = "", *, kind: str = "post", status: str = "publish"
) -> str:
    return f"""<item><title><![CDATA[{title}]]></title><link>https://help.example.com/{title.lower()}/</link>
    <content:encoded><![CDATA[{content}]]></content:encoded><excerpt:encoded><![CDATA[]]></excerpt:encoded>
    <wp:post_id>{number}</wp:post_id><wp:post_name>{title.lower()}</wp:post_name><wp:status>{status}</wp:status>
    <wp:post_type>{kind}</wp:post_type><wp:menu_order>0</wp:menu_order>{rest}</item>"""


def export(*items: str) -> dict[str, str]:
    return {"help.xml": HEAD + "".join(items) + TAIL}


CATEGORY = '<category domain="category" nicename="setup"><![CDATA[Set-up]]></category>'
IMAGE = item(
    9,
    "Shot",
    "",
    "<wp:attachment_url>https://help.example.com/wp-content/uploads/shot.png</wp:attachment_url>",
    kind="attachment",
    status="inherit",
)


def test_posts_pages_and_drafts_keep_their_places_and_addresses() -> None:
    old = "<wp:meta_key>_wp_old_slug</wp:meta_key><wp:meta_value>begin</wp:meta_value>"
    tree = read_tree(
        READER,
        export(
            item(1, "Start", "<p>Go</p>", CATEGORY + f"<wp:postmeta>{old}</wp:postmeta>"),
            item(2, "Draft", "<p>Soon</p>", status="draft"),
            item(3, "Handbook", "<p>All</p>", kind="page"),
            item(4, "Chapter", "<p>One</p>", "<wp:post_parent>3</wp:post_parent>", kind="page"),
            item(5, "Gone", "<p>No</p>", status="trash"),
            item(6, "Secret", "<p>Us</p>", status="private"),
            item(7, "Theme", "{}", kind="wp_global_styles"),
            IMAGE,
        ),
    )
    assert [(each.key, each.title, each.parent) for each in tree.collections] == [
        ("category/start", "Getting started", None),
        ("category/setup", "Set-up", "category/start"),
        ("page-3", "Handbook", None),
    ]
    assert [(page.key, page.collection, page.status, page.address) for page in tree.pages] == [
        ("1", "category/setup", "published", "/start"),
        ("3", "page-3", "published", "/handbook"),
        ("4", "page-3", "published", "/chapter"),
        ("2", None, "draft", "/draft"),
        ("6", None, "draft", "/secret"),
    ]
    assert page_of(tree, "1").former_addresses == ("/begin",)
    assert tree.sites == ("https://help.example.com",)
    assert told(tree) == [
        ("help.xml#5", like("…“trash”…")),
        ("help.xml#6", like("…password…")),
    ]


def test_blocks_and_captions_become_plain_markdown() -> None:
    blocks = """<!-- wp:heading --><h2 class="wp-block-heading" id="first">First</h2><!-- /wp:heading -->
<!-- wp:image {"id":9} --><figure class="wp-block-image"><img src="/shot.png" alt="A shot"/>
<figcaption class="wp-element-caption">How it looks</figcaption></figure><!-- /wp:image -->
<!-- wp:code --><pre class="wp-block-code"><code>[not a="shortcode"]</code></pre><!-- /wp:code -->
<!-- wp:embed --><figure class="wp-block-embed"><div class="wp-block-embed__wrapper">
https://www.youtube.com/watch?v=abc
</div></figure><!-- /wp:embed -->"""
    page = read_tree(READER, export(item(1, "Start", blocks))).pages[0]
    assert page.markdown == (
        '## First\n\n![A shot](/shot.png)\n\n*How it looks*\n\n```\n[not a="shortcode"]\n```\n\n'
        "<https://www.youtube.com/watch?v=abc>\n"
    )
    assert page.heading_ids == (("first", 0),)


def test_the_classic_editor_and_its_shortcodes_become_plain_markdown() -> None:
    classic = """One line
and another

[caption id="x" align="left"]<a href="/big.png"><img src="/small.png" alt="S" /></a> The words[/caption]

[youtube https://www.youtube.com/watch?v=abc]

[gallery ids="9"] [box kind="x"]Kept <b>text</b>[/box] a [footnote] stays

<h3>Part</h3>"""
    tree = read_tree(READER, export(item(1, "Start", classic), IMAGE))
    assert tree.pages[0].markdown == (
        "One line\\\nand another\n\n[![S](/small.png)](/big.png)\n\n*The words*\n\n"
        "<https://www.youtube.com/watch?v=abc>\n\n![](https://help.example.com/wp-content/uploads/shot.png)\n\n"
        "Kept **text** a [footnote] stays\n\n### Part\n"
    )
    assert ("help.xml#1", like("shortcode [box]…")) in told(tree)


def test_translations_of_polylang_belong_to_their_original() -> None:
    group = '<category domain="post_translations" nicename="g1"><![CDATA[g1]]></category>'
    german = f'<category domain="language" nicename="de"><![CDATA[Deutsch]]></category>{group}'
    tree = read_tree(
        READER, export(item(1, "Anfang", "<p>Los</p>", german), item(2, "Start", "<p>Go</p>", group))
    )
    assert [(page.key, page.locale, page.translation_of) for page in tree.pages] == [
        ("1", "de", "2"),
        ("2", "en-US", None),
    ]


@pytest.mark.parametrize(
    ("xml", "sentence"),
    [
        (
            HEAD + "\n<item><link>/a?b=1&c=2</link></item>" + TAIL,
            "line 9, column",
        ),
        (
            HEAD.replace("<rss", "<!DOCTYPE x [<!ENTITY a 'b'>]>\n<rss") + TAIL,
            "document type",
        ),
        (HEAD.replace("UTF-8", "of-mine") + TAIL, "of-mine"),
        (HEAD + TAIL, "no posts"),
    ],
)
def test_an_export_that_can_not_be_read_whole_is_refused(xml: str, sentence: str) -> None:
    with pytest.raises(UnreadableSource) as refusal:
        READER.read(Files({"help.xml": xml}))
    assert sentence in str(refusal.value)


@pytest.mark.parametrize("sign", ["\x0b", "\x00", "&#x1F;", "&#8;"])
def test_a_control_character_is_left_out_and_named(sign: str) -> None:
    tree = read_tree(READER, export(item(1, "Start", f"<p>Go{sign}!</p>"), item(2, "Next", "<p>On</p>")))

    assert [page.markdown for page in tree.pages] == ["Go!\n", "On\n"]
    assert told(tree) == [("help.xml", like("1…characters…XML doesn't allow"))]


def test_one_bad_byte_does_not_refuse_an_export() -> None:
    xml = export(item(1, "Start", "<p>Go</p>"))["help.xml"].encode()

    tree = READER.read(Files({"help.xml": xml.replace(b"Go", b"G\xffo")}))

    assert [page.markdown for page in tree.pages] == ["G\ufffdo\n"]
    assert told(tree) == [("help.xml", like("text…UTF-8"))]


def test_a_feed_is_no_export() -> None:
    assert not READER.recognises(Files({"feed.xml": "<rss><channel/></rss>"}))
