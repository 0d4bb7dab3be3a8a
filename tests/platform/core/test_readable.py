"""Additions to rendered texts: tables and code reachable by keyboard, lazy pictures, honest links."""

import re

import pytest

from instep.platform.core.markdown import render
from instep.platform.core.readable import MAX_LABEL_CHARACTERS
from tests.support.growth import grows_linearly

TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"
FOREIGN = 'rel="noopener noreferrer nofollow"'


def region(name: str) -> str:
    return f'<div role="region" tabindex="0" aria-label="{name}"><table>'


def test_a_table_is_a_region_named_by_the_heading_above() -> None:
    html = render(f'# Settings\n\n## *All* of `them` & "more"\n\n{TABLE}')

    assert region("All of them &amp; &quot;more&quot;") in html
    assert html.count("</table></div>") == 1


def test_a_table_without_a_heading_above_has_a_name_too() -> None:
    assert region("Table") in render(TABLE)


def test_no_two_tables_of_a_text_have_the_same_name() -> None:
    html = render(f"## Limits\n\n{TABLE}\n\nWords.\n\n{TABLE}\n\n## Others\n\n{TABLE}")

    for name in ("Limits", "Limits (2)", "Others"):
        assert html.count(region(name)) == 1


def test_long_names_in_a_table_can_break_after_signs_and_before_capitals() -> None:
    name = "`AUTH_DISABLE_PASSWORD`"
    html = render(
        f"{name}\n\n| {name} `data.presignedFields` `short_name` |\n|--:|\n| SMTP_REJECT_ALL_TLS |\n"
    )

    assert "<p><code>AUTH_DISABLE_PASSWORD</code></p>" in html
    assert "<code>AUTH_<wbr>DISABLE_<wbr>PASSWORD</code>" in html
    assert '<td align="right">SMTP_<wbr>REJECT_<wbr>ALL_<wbr>TLS</td>' in html
    assert "<code>data.<wbr>presigned<wbr>Fields</code> <code>short_name</code>" in html


def test_the_outer_one_of_nested_tables_scrolls() -> None:
    html = render("<table><tr><td><table><tr><td>a</td></tr></table></td></tr></table>\n\n" + TABLE)

    assert html.count('role="region"') == 2
    assert html.count("<table>") == 3


def test_code_can_be_focused_and_has_a_name() -> None:
    html = render("```sh\na\n```\n\n## Start\n\n    b\n")

    assert '<pre tabindex="0" role="group" aria-label="Code"><code class="language-sh">' in html
    assert '<pre tabindex="0" role="group" aria-label="Start"><code>b' in html


def test_a_long_heading_makes_a_short_name() -> None:
    html = render(f"## {'long ' * 5_000}\n\n" + f"{TABLE}\n\nWords.\n\n" * 50)

    names = re.findall(r'role="region" tabindex="0" aria-label="([^"]*)"', html)
    assert len(names) == 50
    assert all(len(name) < MAX_LABEL_CHARACTERS + 10 for name in names)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('- [x] Read *all* of "it"\n- [ ] b', ["Read all of &quot;it&quot;", "b"]),
        ("- [ ] a\n\n  more\n\n- [ ] b", ["a", "b"]),
        ("- [ ] a\n  - [ ] b", ["a", "b"]),
        ("- [ ]\n- [ ] b", ["Task", "b"]),
        ("<input type=checkbox><input type=checkbox> a", ["Task", "a"]),
    ],
)
def test_a_checkbox_is_named_by_the_words_of_its_task(text: str, names: list[str]) -> None:
    assert re.findall(r'<input [^>]*aria-label="([^"]*)">', render(text)) == names


def test_a_long_task_makes_a_short_name() -> None:
    [name] = re.findall(r'<input [^>]*aria-label="([^"]*)">', render(f"- [ ] {'*long* ' * 5_000}"))

    assert name.startswith("long long")
    assert len(name) < MAX_LABEL_CHARACTERS + 10


def test_a_picture_loads_late_and_tells_no_referrer() -> None:
    html = render("![a](https://a.test/b.png)")

    assert '<img src="https://a.test/b.png" alt="a" loading="lazy" referrerpolicy="no-referrer">' in html


@pytest.mark.parametrize("address", ["http://a.test/b.png", "HTTP://a.test/b.png", "http:b.png"])
def test_a_picture_without_encryption_is_a_link(address: str) -> None:
    html = render(f"![A plan]({address})")

    assert "<img" not in html
    assert f'<a href="{address}" {FOREIGN}>A plan</a>' in html


def test_a_picture_without_encryption_and_words_is_its_address() -> None:
    assert f'<a href="http://a.test/b.png" {FOREIGN}>http://a.test/b.png</a>' in render(
        "![](http://a.test/b.png)"
    )


def test_a_link_around_such_a_picture_keeps_its_own_target() -> None:
    html = render("[![Built](http://a.test/b.svg)](https://c.test) ![far](http://a.test/c.png)")

    assert f'<a href="https://c.test" {FOREIGN}>Built</a>' in html
    assert f'<a href="http://a.test/c.png" {FOREIGN}>far</a>' in html


@pytest.mark.parametrize("address", ["#there", "/help/acme/articles/b", "b", "?q=a"])
def test_a_link_within_the_site_may_be_followed(address: str) -> None:
    assert " rel=" not in render(f"[a]({address})")


@pytest.mark.parametrize("address", ["https://a.test", "//a.test", "mailto:a@b.test", "HTTPS://a.test"])
def test_a_link_elsewhere_is_not_vouched_for(address: str) -> None:
    assert FOREIGN in render(f"[a]({address})")


def test_no_spelling_of_a_foreign_address_passes_for_the_sites_own() -> None:
    for address in ("/\\a.test", "\\\\a.test", "\thttps://a.test", "/\t/a.test", " //a.test", "&#47;/a.test"):
        html = render(f'<a href="{address}">a</a>')
        target = html.partition('href="')[2].partition('"')[0]
        # Browsers treat a backslash as a slash unless it is written as `%5C`.
        assert FOREIGN in html or target.startswith("/%5C"), (address, html)


def test_many_tables_cost_no_more_than_their_length() -> None:
    # Headings differ because the renderer numbers equal ones in quadratic time, which another rule refuses.
    assert grows_linearly(
        render, lambda count: "".join(f"## Limit {n}\n\n{TABLE}\n" for n in range(count)), 2_000
    )
