"""The components of all pages meet the content policy's rules and support both text directions."""

import re

from scripts.check_assets import SOURCES
from tests.support.source_code import REPOSITORY

# Mail clients accept a style only inside the message itself.
EMAILS = set(REPOSITORY.glob("instep/platform/email/**/*.html"))
# The frame that draws a diagram has its own policy.
FRAMES = set(REPOSITORY.glob("instep/platform/web/static/dist/*.html"))
TEMPLATES = sorted(set(REPOSITORY.glob("instep/**/*.html")) - EMAILS - FRAMES)
STYLES = sorted((SOURCES / "src").rglob("*.css"))
# Code that every page's policy blocks, and features of htmx that need `eval`, as attributes and as macro
# arguments. Browsers do not execute structured data for search engines, so it is allowed.
INLINE = re.compile(
    r"""\sstyle=|<style|<script(?![^>]*\ssrc=)(?! type="application/ld\+json">)|\son[a-z]+="""
    r"""|["'](?:style|on[a-z]+)["']\s*:"""
    r"""|\bhx-on\b|hx-trigger["':=\s]*["'][^"']*\[|["']js:|javascript:""",
    re.IGNORECASE,
)
# Properties that name a side of the window instead of the start or the end of a line.
PHYSICAL = re.compile(
    r"(?:^|[;{\s])(?:(?:margin|padding|border|inset)-(?:left|right|top|bottom)|left|right|top|bottom)[\w-]*\s*:"
    r"|border-(?:top|bottom)-(?:left|right)-radius"
    # Four values are for four sides; the second and the last are right and left.
    r"|(?:margin|padding|inset)\s*:\s*\S+ (?P<right>[^\s;]+) [^\s;]+ (?!(?P=right);)[^\s;]+;"
    r"|(?:text-align|float|clear|justify-[\w-]+)\s*:\s*(?:left|right)"
)


def test_no_template_holds_a_script_or_a_style() -> None:
    for file in TEMPLATES:
        assert INLINE.findall(file.read_text()) == [], file.name


def test_no_style_sheet_knows_left_and_right() -> None:
    for file in STYLES:
        assert [match.group().strip() for match in PHYSICAL.finditer(file.read_text())] == [], file.name


def test_the_two_searches_notice_what_they_look_for() -> None:
    for text in ('<p style="a">', "<script>", '<a onclick="b()">', '<b hx-on:click="c">', "hx-vals='js:{}'"):
        assert INLINE.search(text), text
    for text in ('{"style": a}', "{'onclick': b}", '{"hx-on:click": c}', '{"hx-trigger": "click[d]"}'):
        assert INLINE.search(text), text
    for text in (
        "margin-left: 0",
        "{top: 1px",
        "text-align: right",
        "border-top-left-radius: 1px",
        "margin: 0 1px 0 2px;",
    ):
        assert PHYSICAL.search(text), text
    assert not INLINE.search('<script type="module" src="/a.js"></script>')
    assert not PHYSICAL.search("margin: 0 1px 0 1px; padding: 0 1px 2px;")
    assert not PHYSICAL.search("inset-inline-start: 0; border-block-start: 1px; translate: 0 4px")


def test_every_icon_that_a_template_names_is_in_the_sprite() -> None:
    sprite = set(re.findall(r'"([a-z0-9-]+)"', (SOURCES / "src" / "shared" / "icons.json").read_text()))
    named = {name for file in TEMPLATES for name in re.findall(r'icon\("([a-z0-9-]+)"', file.read_text())}

    assert named - sprite == set()
