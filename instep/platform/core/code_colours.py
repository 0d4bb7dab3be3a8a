"""Colors code in rendered texts when a text is saved, so that a page needs no script for it.

A lexer may take quadratic time for hostile code: only `color_bounded` processes people's code.
"""

import re
from collections.abc import Iterator
from functools import cache
from html import escape, unescape
from itertools import groupby

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Literal, Name, Number, Operator, String, _TokenType

from instep.platform.core import limits
from instep.platform.core.sandbox import TimeLimitExceeded, run_bounded

# A code block as `core.markdown` writes it.
BLOCK = re.compile(r'(<code class="language-([\w+-]+)">)([^<]*)(</code>)')
# The languages that are common in help centers.
LANGUAGES = {
    *("bash", "c", "cpp", "csharp", "css", "dart", "diff", "docker", "dockerfile", "elixir", "go"),
    *("graphql", "html", "http", "ini", "java", "javascript", "js", "json", "jsx", "kotlin", "lua"),
    *("nginx", "php", "powershell", "py", "python", "rb", "ruby", "rust", "scala", "sh", "shell", "sql"),
    *("swift", "toml", "ts", "tsx", "typescript", "xml", "yaml", "yml", "zsh"),
}
# Lexers of C and its relatives are slowest for spaces.
LONG_BLANKS = re.compile(rf"\s{{{limits.MAX_CODE_BLANKS}}}")
# Types with their own color: a token's class is that of the first type that it belongs to.
CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Comment.Preproc, "code-word"),
    (Comment, "code-note"),
    (Keyword, "code-word"),
    (Operator.Word, "code-word"),
    (Name.Tag, "code-word"),
    (String, "code-text"),
    (Number, "code-value"),
    (Literal, "code-value"),
    (Name.Attribute, "code-value"),
    (Generic.Deleted, "code-deleted"),
    (Generic.Inserted, "code-text"),
)


async def color_bounded(html: str) -> str:
    """Like `colour_code`, for people's HTML; long code is colored in a process that can be killed.

    Code that takes too long is not colored.
    """
    is_small = count_code(html) <= limits.MAX_INLINE_CODE_CHARACTERS
    try:
        return await run_bounded(colour_code, html, seconds=limits.MAX_COLORING_SECONDS, is_small=is_small)
    except TimeLimitExceeded:
        return html


def count_code(html: str) -> int:
    """The number of characters of code that get colors."""
    return sum(len(block[3]) for block in BLOCK.finditer(html) if gets_colors(block))


def colour_code(html: str) -> str:
    """The same HTML with classes on keywords, strings, values and comments of code; its text is unchanged.

    `html` is the output of `core.markdown.render`. Code without a language, or in an unknown one, stays.
    """
    room = limits.MAX_TEXT_CODE_CHARACTERS

    def colour_block(block: re.Match[str]) -> str:
        nonlocal room
        room -= len(block[3])
        if room < 0 or not gets_colors(block):
            return block[0]
        return block[1] + "".join(coloured_pieces(lexer_of(block[2].lower()), unescape(block[3]))) + block[4]

    return BLOCK.sub(colour_block, html)


def gets_colors(block: re.Match[str]) -> bool:
    is_short = len(block[3]) <= limits.MAX_CODE_BLOCK_CHARACTERS
    return is_short and block[2].lower() in LANGUAGES and LONG_BLANKS.search(block[3]) is None


@cache
def lexer_of(language: str) -> Lexer:
    return get_lexer_by_name(language, stripnl=False, ensurenl=False)


def coloured_pieces(lexer: Lexer, code: str) -> Iterator[str]:
    """Escaped code; neighbors with the same class share a tag."""
    tokens = ((class_of(token_type), text) for _, token_type, text in lexer.get_tokens_unprocessed(code))
    for name, neighbours in groupby(tokens, key=lambda token: token[0]):
        text = escape("".join(text for _, text in neighbours), quote=False)
        yield f'<span class="{name}">{text}</span>' if name else text


def class_of(token_type: _TokenType) -> str:
    # A type is the tuple of its names, beginning with the names of its supertypes.
    return next((name for parent, name in CLASSES if token_type[: len(parent)] == parent), "")
