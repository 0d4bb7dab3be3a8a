"""Formulas in LaTeX as MathML, which browsers draw: $`…`$ in a line, or code in the language `math`."""

import re
from functools import partial
from html import unescape
from xml.etree.ElementTree import Element, tostring

from instep.platform.core import limits

MARKS = ("$`", "math")
# As the renderer writes them.
FORMULA = re.compile(
    r'<pre[^<>]*><code class="language-math"[^<>]*>([^<]*)</code></pre>'
    r'|<code data-math-style="inline"[^<>]*>([^<]*)</code>'
)
# The elements with a fixed number of children.
OPERANDS = {
    **dict.fromkeys(("mfrac", "mroot", "msub", "msup", "mover", "munder"), 2),
    **dict.fromkeys(("msubsup", "munderover"), 3),
}
_ESCAPED = re.compile(r"\\.")
# A command or a brace that the library doesn't understand is a sign like others.
_UNKNOWN = re.compile(r"\\.|[{}]")
TAGS = {
    *("math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "ms", "msup", "msub", "msubsup", "mfrac", "msqrt"),
    *("mroot", "mover", "munder", "munderover", "mtable", "mtr", "mtd", "mstyle", "mpadded", "mphantom"),
    *("menclose", "mmultiscripts", "mprescripts"),
}
SIGN_ATTRIBUTES = {"mathvariant", "stretchy", "fence", "form", "lspace", "rspace"}
ATTRIBUTES = {
    **dict.fromkeys(("mi", "mn", "mo", "mtext"), SIGN_ATTRIBUTES),
    "math": {"display"},
    "mstyle": {"displaystyle", "scriptlevel"},
    "mspace": {"width", "linebreak"},
    "mfrac": {"linethickness"},
    "menclose": {"notation"},
    "mtable": {"columnalign", "columnlines", "rowspacing", "columnspacing"},
    "mtd": {"columnalign"},
}


def draw_formulas(html: str) -> str:
    """The HTML with its formulas as MathML; those that are too long or not LaTeX stay code."""
    if "math" not in html:
        return html
    left = [limits.MAX_FORMULAS_CHARACTERS]
    return FORMULA.sub(partial(_drawn, left), html)


def _drawn(left: list[int], formula: re.Match[str]) -> str:
    # Loading the names of all signs takes a while, and few texts have formulas.
    from latex2mathml.converter import convert_to_element

    is_block = formula[1] is not None
    source = unescape(formula[1] or formula[2] or "").strip()
    left[0] -= len(source)
    if not source or len(source) > limits.MAX_FORMULA_CHARACTERS or left[0] < 0:
        return formula[0]
    try:
        drawing = convert_to_element(source, display="block" if is_block else "inline")
    except Exception:
        # The library has no common class for what it refuses.
        return formula[0]
    if _is_broken(source, drawing):
        return formula[0]
    # The library writes symbols as numeric entities; the author's own text must stay escaped.
    return tostring(drawing, encoding="unicode").replace("&amp;#x", "&#x")


def _is_broken(source: str, drawing: Element) -> bool:
    """True if the library has drawn LaTeX with a wrong brace, operand or name of a command."""
    braces = _ESCAPED.sub("", source)
    return braces.count("{") != braces.count("}") or any(
        len(part) != OPERANDS.get(part.tag, len(part))
        or (part.tag in ("mi", "mo") and _UNKNOWN.match(part.text or ""))
        for part in drawing.iter()
    )
