"""Helpers shared by the readers of Markdown files."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instep.transfer.imports.markdown.attribute_lists import remove_attribute_lists
from instep.transfer.imports.markdown.callouts import replace_colon_containers, replace_indented_containers
from instep.transfer.imports.markdown.fields import read_yaml
from instep.transfer.imports.markdown.grouping import grouped_tabs, take_titles
from instep.transfer.imports.markdown.heading_ids import replace_html_headings, take_heading_ids
from instep.transfer.imports.markdown.hidden_code import HiddenCode, hide_code, outside_code
from instep.transfer.imports.markdown.plain_pages import page_of_markdown, repair_table_heads, take_title
from instep.transfer.imports.markdown.python_markdown import replace_card_grids, replace_formulas
from instep.transfer.imports.markdown.source_pages import read_page
from instep.transfer.imports.tree.file_names import name_order, title_of_name, without_numbers
from instep.transfer.imports.tree.schemas import Loss, Losses
from tests.support.growth import grows_linearly
from tests.support.wording import like

CODE = """Text `a b` and ``c ` d``.

- item

  ```js title="x"
  shout

    deep
  ```

      shout, indented in an item

> ~~~
> shout
> ~~~

    shout, indented

1. ```
   shout
   ```
"""


def test_code_is_not_transformed_and_other_words_are() -> None:
    assert outside_code(CODE, str.upper) == (
        CODE.replace("Text", "TEXT").replace("and", "AND").replace("- item", "- ITEM")
    )


def test_code_moves_with_the_text_around_it() -> None:
    text = "!!! note\n    Run\n\n    ```\n    a\n\n      b\n    ```\n"

    assert outside_code(text, replace_indented_containers).rstrip() == (
        "> [!NOTE]\n> Run\n>\n> ```\n> a\n>\n>   b\n> ```"
    )


@given(st.text(alphabet="`~ \n>-1.a\t:!#", max_size=60))
def test_code_comes_back_as_it_was(text: str) -> None:
    hidden_text, code = hide_code(text)

    assert code.show(hidden_text).split() == text.split()


@pytest.mark.parametrize(
    ("has_bare_titles", "info", "language", "title"),
    [
        (False, 'js title = "app.js"', "js", "app.js"),
        (False, 'title = "app.js"', "", "app.js"),
        (False, "{.python filename=app.py}", "python", "app.py"),
        (False, "{r, label=setup}", "r", "setup"),
        (False, "js profile=dev", "js", ""),
        (True, "application/json", "application/json", ""),
        (True, "rust,ignore", "rust", ""),
        (True, "python,linenos=table", "python", ""),
        (False, "rust,edition=2021", "rust", ""),
        (True, "console?lang=python", "console", ""),
        (True, 'js,title="app.js"', "js", "app.js"),
        (True, "C/C++ Main file", "C/C++", "Main file"),
        (True, "@ts Title", "@ts", "Title"),
        (True, "lineNumbers=true js", "", "js"),
        (True, "js options={{a: {b: 1}}} Title", "js", "Title"),
    ],
)
def test_an_info_string_has_a_language_and_a_title(
    has_bare_titles: bool, info: str, language: str, title: str
) -> None:
    label = f"**{title}**\n\n" if title else ""
    assert page_with_code(info, has_bare_titles) == f"{label}```{language}\nx\n```\n"


def page_with_code(info: str, has_bare_titles: bool = True) -> str:
    page = read_page("a.md", f"```{info}\nx\n```\n".encode(), Losses())
    text, code = hide_code(page.body)
    return page_of_markdown(page, text, code, "T", has_bare_titles=has_bare_titles).markdown


@pytest.mark.parametrize("piece", ["a-", "{", 'a="'])
def test_options_of_code_take_linear_time(piece: str) -> None:
    assert grows_linearly(page_with_code, lambda size: f"js {piece * size}", 8_000)


@pytest.mark.parametrize(
    ("text", "is_mdx", "spans"),
    [
        ("<A b={`one\n\ntwo`} />", True, ["`one\n\ntwo`"]),
        ("<A b={`one\n\ntwo`} />", False, []),
        ("Type `x` and y={` here.\n\n- Words `b`.", True, ["`x`", "`b`"]),
    ],
)
def test_only_template_literals_of_attributes_in_mdx_have_several_blocks(
    text: str, is_mdx: bool, spans: list[str]
) -> None:
    _, code = hide_code(text, has_indented_code=not is_mdx)

    assert code.spans == spans


@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        ("::: tip\nDo it\n:::", "> [!TIP]\n> Do it"),
        (":::note[Read *this*]\nDo it\n:::", "> [!NOTE] Read this\n> Do it"),
        ("::: danger Stop {open}\nDo it\n:::", "> [!CAUTION] Stop\n> Do it"),
        ("::: details\nDo it\n:::", ":::details\nDo it\n:::"),
        ("/// warning | Stop\nDo it\n///", "> [!WARNING] Stop\n> Do it"),
        ("- a\n\n  :::note\n  Do it\n  :::", "- a\n\n  > [!NOTE]\n  > Do it"),
        ("::::note\na\n:::tip\nb\n:::\nc\n::::", "> [!NOTE]\n> a\n>\n> > [!TIP]\n> > b\n>\n> c"),
        (":::note\na", "> [!NOTE]\n> a"),
        ("a :::\n\n:::", "a :::\n\n:::"),
    ],
)
def test_colon_containers_become_alerts(source: str, markdown: str) -> None:
    assert outside_code(source, replace_colon_containers).rstrip() == markdown


@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        ("!!! note\n    a\n\n    b\nc", "> [!NOTE]\n> a\n>\n> b\n\nc"),
        ('!!! tip "Use `x`"\n    a', "> [!TIP] Use x\n> a"),
        ('??? question "Why?"\n    a', "> [!TIP] Why?\n> a"),
        ("!!! example inline end\n    a", "> [!NOTE] Example\n> a"),
        ("- x\n\n    !!! bug\n        a\n", "- x\n\n    > [!CAUTION] Bug\n    > a"),
    ],
)
def test_admonitions_become_alerts(source: str, markdown: str) -> None:
    assert outside_code(source, replace_indented_containers).rstrip() == markdown


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("| A | B |\n| - | - | - |\n| a | b | c |", "| A | B |  |\n| - | - | - |\n| a | b | c |"),
        ("- | A | B |\n  | - | - | - |\n  | a | b |", "- | A | B |\n  | - | - |\n  | a | b |"),
        ("> | A | B | C\n> | :- |", "> | A | B | C |\n> | :- | --- | --- |"),
        ("| A \\| B | C |\n| - | - |", "| A \\| B | C |\n| - | - |"),
        ("| - | - |\n| - |\n\na | b\n| - |", "| - | - |\n| - |\n\na | b\n| - |"),
    ],
)
def test_a_table_whose_head_and_rule_differ_is_repaired(source: str, text: str) -> None:
    assert repair_table_heads(source) == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("![a](b.png){ width=20 loading=lazy }", '<img src="b.png" alt="a" width="20">'),
        ('![a](b.png "T"){: style="width: 25%"} x', '<img src="b.png" alt="a" title="T" width="168"> x'),
        ("![a](b.png){ width=1200 }", "![a](b.png)"),
        (
            '| ![a \\| &lt;b&gt;](b.png?c=1&amp;d "T&quot;"){ width=20 } |',
            '| <img src="b.png?c=1&amp;d" alt="a &#124; &lt;b&gt;" title="T&quot;" width="20"> |',
        ),
        ("![`a`](b.png){ width=20 }", "![`a`](b.png)"),
        ('[a](b){:target="_blank"} c', "[a](b) c"),
        ("Text\n{: .note }\nmore", "Text\n\nmore"),
        ("## T { #id .x }", "## T {#id}"),
        ("`/users/{id}` {{ a }} ${b} {not a list}", "`/users/{id}` {{ a }} ${b} {not a list}"),
    ],
)
def test_attribute_lists_go_and_ids_stay(source: str, text: str) -> None:
    assert outside_code(source, remove_attribute_lists) == text


def test_ids_lead_to_their_headings() -> None:
    source = (
        'Intro {#top}\n\n## A {#a}\n\nwords <a id="b"></a>\n\n`{#code}`\n\n<a name="c"></a>\n\nC\n---\n\n'
        '### D [#d]\n\n<span id="e">kept</span>\n'
    )
    text, ids = take_heading_ids(outside_code(source, replace_html_headings))

    assert ids == (("a", 0), ("b", 0), ("c", 1), ("d", 2))
    assert "{#a}" not in text
    assert "`{#code}`\n\nC\n---" in text
    assert "kept" in text


def test_headings_of_html_become_headings() -> None:
    assert replace_html_headings('<h2 class="x" id="y">A\n  b</h2>').strip() == "## A b {#y}"


@pytest.mark.parametrize(
    ("title", "body", "path", "expected"),
    [
        ("", "# The *title* {#x}\n\nText", "a.md", ("The title", "Text")),
        ("Title", "# Title\n\nText", "a.md", ("Title", "Text")),
        ("Title", "# Another\n\nText", "a.md", ("Title", "# Another\n\nText")),
        ("", "Title\n=====\nText", "a.md", ("Title", "Text")),
        ("", "## Part\n\nText", "guides/02-get_going.md", ("Get going", "## Part\n\nText")),
        ("", "Text", "guides/README.md", ("Guides", "Text")),
    ],
)
def test_the_title_is_taken_once(title: str, body: str, path: str, expected: tuple[str, str]) -> None:
    assert take_title(title, body, path) == expected


@pytest.mark.parametrize(
    "front_matter",
    [
        "---\ntitle: A\nversion: 1.10\ndraft: yes\ntags: [x, y]\n---\n",
        '+++\ntitle = "A"\nversion = "1.10"\ndraft = true\ntags = ["x", "y"]\n+++\n',
        '{"title": "A", "version": "1.10", "draft": true, "tags": ["x", "y"]}\n',
    ],
)
def test_front_matter_is_read_as_it_is_written(front_matter: str) -> None:
    losses = Losses()
    page = read_page("a.md", front_matter.replace("\n", "\r\n").encode() + b"\xef\xbb\xbfText", losses)

    assert (page.fields.text("title"), page.fields.text("version")) == ("A", "1.10")
    assert page.fields.is_true("draft")
    assert page.fields.texts("tags") == ["x", "y"]
    assert page.body.endswith("Text")
    assert not losses.rows


def test_front_matter_that_is_not_valid_is_read_line_by_line_and_told() -> None:
    losses = Losses()
    page = read_page("a.md", b"---\ntitle: Help: part one\nid: 7\n---\nText", losses)

    assert (page.fields.text("title"), page.fields.text("id")) == ("Help: part one", "7")
    assert page.body == "Text"
    [loss] = losses.rows
    assert loss.what.startswith("front matter")
    assert loss.line == 1


@pytest.mark.parametrize("value", ["[" * 30_000, "{a: " * 30_000, "- " * 30_000])
def test_front_matter_that_is_nested_without_end_is_told_and_the_page_read(value: str) -> None:
    losses = Losses()
    page = read_page("a.md", f"---\ntitle: Help\ntags: {value}\n---\nText".encode(), losses)

    assert (page.fields.text("title"), page.body) == ("Help", "Text")
    [loss] = losses.rows
    assert loss.what.startswith("front matter")


def test_a_text_between_rules_is_no_front_matter() -> None:
    text = "---\nJust words\n---\nmore"

    assert read_page("a.md", text.encode(), Losses()).body == text


def test_bytes_that_are_no_text_are_told() -> None:
    losses = Losses()

    assert read_page("a.md", b"caf\xe9\x00", losses).body == "caf\ufffd\ufffd"
    assert losses.rows == [Loss("a.md", like("text…UTF-8"))]


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
        + "".join(
            f"{b}: &{b} [{','.join([f'*{a}'] * 10)}]\n" for a, b in zip("abcdefg", "bcdefgh", strict=True)
        ),
        "&a [*a]",
        "[" * 5_000,
    ],
)
def test_settings_that_repeat_without_end_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"values|recursive|nested|while|expected"):
        read_yaml(text)


def test_tags_of_yaml_are_never_executed() -> None:
    assert read_yaml("a: !!python/object/apply:os.system [echo]\nb: !ENV x") == {"a": ["echo"], "b": "x"}


@pytest.mark.parametrize(
    ("function", "name", "result"),
    [
        (title_of_name, "guides/02-getting_started.md", "Getting started"),
        (title_of_name, "2024-11-news.md", "2024 11 news"),
        (without_numbers, "01-guides/2. install.md", "guides/install.md"),
        (without_numbers, "7.0-release/404.md", "7.0-release/404.md"),
        (name_order, "10-b", (10, "b")),
    ],
)
def test_numbers_of_names_order_them(function: Callable[[str], object], name: str, result: object) -> None:
    assert function(name) == result


def test_only_labels_of_code_become_titles() -> None:
    text = "**First**\n\n**Second**\n\n```js\nx\n```\n\nWords\n\n**Last words**\n"
    hidden, code = hide_code(f":::code-group\n\n{text}:::\n**After**\n")

    assert code.show(take_titles(hidden, code)) == (
        ":::code-group\n**First**\n\n```js [Second]\nx\n```\n\nWords\n\n**Last words**\n:::\n**After**\n"
    )


@pytest.mark.parametrize(
    ("function", "make"),
    [
        (grouped_tabs, lambda count: "  :::tab[A]\n\n:::tab[B]\n" * count),
        # Each grid has a different indent of spaces and tabs.
        (
            replace_card_grids,
            lambda count: "".join(
                f"{number:b}".replace("0", " ").replace("1", "\t") + '<div class="grid cards">\n'
                for number in range(count)
            ),
        ),
        (replace_card_grids, lambda count: "<div" + ' class="grid cards"' * count),
        (lambda text: replace_formulas(text, HiddenCode()), lambda count: "\\[\n$$ \\(\n$$\n$a\n" * count),
    ],
)
def test_blocks_without_ends_take_linear_time(
    function: Callable[[str], str], make: Callable[[int], str]
) -> None:
    assert grows_linearly(function, make, 4_000)
