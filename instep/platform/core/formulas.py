"""Formulas in LaTeX as MathML, which browsers draw: $`…`$ in a line, or code in the language `math`."""

import re
from functools import partial
from html import unescape

from instep.platform.core import limits

MARKS = ("$`", "math")
# As the renderer writes them.
FORMULA = re.compile(
    r'<pre[^<>]*><code class="language-math"[^<>]*>([^<]*)</code></pre>'
    r'|<code data-math-style="inline"[^<>]*>([^<]*)</code>'
)
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
    from latex2mathml.converter import convert

    is_block = formula[1] is not None
    source = unescape(formula[1] or formula[2] or "").strip()
    left[0] -= len(source)
    if not source or len(source) > limits.MAX_FORMULA_CHARACTERS or left[0] < 0:
        return formula[0]
    try:
        return convert(source, display="block" if is_block else "inline")
    except Exception:
        # The library has no common class for what it refuses.
        return formula[0]
