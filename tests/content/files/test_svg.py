"""SVG logos: files from drawing programs keep their look, and nothing hostile gets through."""

import re

import pytest

from instep.content.files.kinds import UnsupportedType
from instep.content.files.svg import clean_svg, is_svg

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">'
DRAWN = f"""\
<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!-- Made by a program -->
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
{HEAD[:-1]} xmlns:i="http://www.inkscape.org/ns" i:version="1.0" style="enable-background:new 0 0 9 9">
  <title>Acme &amp; Co</title>
  <metadata><anything xmlns="urn:x">x</anything></metadata>
  <i:namedview pagecolor="#fff"><i:grid/></i:namedview>
  <defs>
    <style>/* x */ .a, .b{{fill:url(#g);behavior:url(x.htc)}} .c{{clip-path:url("#k")}}</style>
    <linearGradient id="g" gradientTransform="rotate(45) scale(.5,2)">
      <stop offset="0%" style="stop-color:#f60;stop-opacity:.5"/><stop offset="1" stop-color="rgb(1, 2, 3)"/>
    </linearGradient>
    <radialGradient id="h" xlink:href="#g"/>
    <clipPath id="k"><path class="c" clip-path="url(#k)" d="M0 0h9v9z"/></clipPath>
  </defs>
  <g class="a" data-name="x"><path d="M1.5-2e3C0,0 1,1 2,2z" fill="url(#h)"/></g>
  <text font-family="'Acme Sans', sans-serif">Acme<tspan x="1">!</tspan> now</text>
</svg>"""
PARTS = (
    "<script>alert(1)</script>",
    '<script href="https://evil.test/x.js"/>',
    '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><script>x</script></body></foreignObject>',
    '<image href="https://evil.test/x.png"/>',
    '<use href="#a"/>',
    '<a href="javascript:alert(1)"><path d="M0 0"/></a>',
    '<animate attributeName="href" values="javascript:alert(1)"/>',
    '<set attributeName="onload" to="alert(1)"/>',
    "<iframe/>",
    '<filter id="f"><feImage href="https://evil.test/x"/></filter>',
    "<svg/>",
    '<path onclick="alert(1)" d="M0 0"/>',
    '<g ONLOAD="alert(1)"/>',
    "<style>@import url(https://evil.test/x.css);</style>",
    "<style>path{fill:red}</style>",
    "<style>.a{}@font-face{src:url(//evil.test)}</style>",
    "<style>.a{fill:red}</style><style>*{mask:url(#m)}</style>",
    "<g>" * 40 + "</g>" * 40,
    "<path/>" * 3_000,
)
LEFT_OUT = (
    '<path style="fill:url(https://evil.test/x)"/>',
    '<path fill="url(//evil.test/x#a)"/>',
    '<path fill="url( &#39;https://evil.test&#39; )"/>',
    '<path style="fill:\\75rl(https://evil.test)"/>',
    '<path style="background:url(https://evil.test)"/>',
    '<path mask="image-set(&quot;evil.test&quot; 1x)"/>',
    '<linearGradient id="a" href="https://evil.test/x#a"/>',
    '<linearGradient id="a" xlink:href="javascript:alert(1)"/>',
    '<g xml:base="https://evil.test/"/>',
    '<g class="evil.test/"/>',
    '<x:script xmlns:x="http://www.w3.org/1999/xhtml">alert("evil.test")</x:script>',
    "<style>.a{fill:url(https://evil.test)}</style>",
    "<desc><!-- evil.test --><?php evil.test ?></desc>",
)


def test_shapes_from_drawing_programs_stay() -> None:
    html = clean_svg(DRAWN.encode()).decode()

    assert html.startswith('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"')
    for part in (
        "<title>Acme &amp; Co</title>",
        ".a, .b{fill:url(#g)}",
        '.c{clip-path:url("#k")}',
        'gradientTransform="rotate(45) scale(.5,2)"',
        'style="stop-color:#f60;stop-opacity:.5"',
        'stop-color="rgb(1, 2, 3)"',
        '<radialGradient id="h" href="#g" />',
        '<path d="M1.5-2e3C0,0 1,1 2,2z" fill="url(#h)" />',
        '>Acme<tspan x="1">!</tspan> now</text>',
    ):
        assert part in html
    for part in ("metadata", "namedview", "behavior", "data-name", "inkscape", "DOCTYPE", "Made by"):
        assert part not in html
    # Clip paths can't refer to other elements, so that small drawings can't take long to render.
    assert '<clipPath id="k"><path d="M0 0h9v9z" /></clipPath>' in html
    assert clean_svg(html.encode()).decode() == html


@pytest.mark.parametrize("part", PARTS)
def test_active_or_loading_parts_are_refused_by_name(part: str) -> None:
    with pytest.raises(UnsupportedType, match="The SVG has"):
        clean_svg(f"{HEAD}{part}</svg>".encode())


CLIP = f'<clipPath id="k">{"<rect/>" * 900}</clipPath>'


@pytest.mark.parametrize(
    "drawing",
    [
        CLIP + '<rect clip-path="url(#k)"/>' * 900,
        CLIP + "<rect style=\"mask:url('#k')\"/>" * 900,
        "<style>.b,.c{mask:url(#k)}</style>" + CLIP + '<rect class="a c"/>' * 900,
        f'<mask id="m"><path d="{"M0 0h9v9z" * 20_000}"/></mask>' + '<path mask="url(#m)"/>' * 50,
    ],
)
def test_a_large_clip_that_many_parts_use_is_refused(drawing: str) -> None:
    with pytest.raises(UnsupportedType, match="large clips or masks"):
        clean_svg(f"{HEAD}{drawing}</svg>".encode())


def test_many_parts_may_have_a_small_clip_each() -> None:
    pairs = "".join(
        f'<clipPath id="k{number}"><path d="{"M0 0h9z" * 9}"/></clipPath><path clip-path="url(#k{number})"/>'
        for number in range(500)
    )

    assert clean_svg(f"{HEAD}{pairs}</svg>".encode()).count(b"url(#k") == 500


@pytest.mark.parametrize("part", LEFT_OUT)
def test_an_address_elsewhere_is_left_out(part: str) -> None:
    html = clean_svg(f"{HEAD}{part}</svg>".encode()).decode()

    assert not re.search(r"evil|javascript|script|url\((?![\"']?#)|\\\\|<[?!]", html)


@pytest.mark.parametrize(
    "data",
    [
        b'<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg">&b;</svg>',
        b'<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg">&x;</svg>',
        b"<svg/>",
        b'<svg xmlns="http://www.w3.org/1999/xhtml"/>',
        b'<html><svg xmlns="http://www.w3.org/2000/svg"/></html>',
        b'<svg xmlns="http://www.w3.org/2000/svg">',
        b'<?xml version="1.0" encoding="utf-7"?><svg xmlns="http://www.w3.org/2000/svg"/>',
        b'<svg xmlns="http://www.w3.org/2000/svg">' + b" " * 300_000 + b"</svg>",
    ],
)
def test_documents_that_are_no_plain_drawing_are_refused(data: bytes) -> None:
    assert is_svg(data)
    with pytest.raises(UnsupportedType):
        clean_svg(data)
