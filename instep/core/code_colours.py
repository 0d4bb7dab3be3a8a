"""Colours of code in rendered texts, made when a text is saved, so that a page needs no script for them."""

import re
from collections.abc import Iterator
from functools import cache
from html import escape, unescape
from itertools import groupby

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Literal, Name, Number, Operator, String, _TokenType

# A block of code as `core.markdown` writes it.
BLOCK = re.compile(r'(<code class="language-([\w+-]+)">)([^<]*)(</code>)')
# The languages that help centers show. Lexers of others may take more than linear time for hostile code.
LANGUAGES = {
    *("bash", "c", "cpp", "csharp", "css", "dart", "diff", "docker", "dockerfile", "elixir", "go", "graphql"),
    *(
        "html",
        "http",
        "ini",
        "java",
        "javascript",
        "js",
        "json",
        "jsx",
        "kotlin",
        "lua",
        "nginx",
        "php",
        "powershell",
    ),
    *("py", "python", "rb", "ruby", "rust", "scala", "sh", "shell", "sql", "swift", "toml", "ts", "tsx"),
    *("typescript", "xml", "yaml", "yml", "zsh"),
}
# Longer blocks stay as they are.
MAX_CODE_CHARACTERS = 20_000
# Types with a colour of their own: the class of a token is that of the first type that it belongs to.
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


def colour_code(html: str) -> str:
    """The same HTML, in which words, texts, values and comments of code have classes; its text is unchanged.

    `html` is the output of `core.markdown.render`. Code without a language, or in an unknown one, stays.
    """
    return BLOCK.sub(colour_block, html)


def colour_block(block: re.Match[str]) -> str:
    language, code = block[2].lower(), unescape(block[3])
    if language not in LANGUAGES or len(code) > MAX_CODE_CHARACTERS:
        return block[0]
    return block[1] + "".join(coloured_pieces(lexer_of(language), code)) + block[4]


@cache
def lexer_of(language: str) -> Lexer:
    return get_lexer_by_name(language, stripnl=False, ensurenl=False)


def coloured_pieces(lexer: Lexer, code: str) -> Iterator[str]:
    """Escaped code; neighbours of one class share a tag."""
    tokens = ((class_of(token_type), text) for _, token_type, text in lexer.get_tokens_unprocessed(code))
    for name, neighbours in groupby(tokens, key=lambda token: token[0]):
        text = escape("".join(text for _, text in neighbours), quote=False)
        yield f'<span class="{name}">{text}</span>' if name else text


def class_of(token_type: _TokenType) -> str:
    # A type is the tuple of its names, those of the types that it belongs to first.
    return next((name for parent, name in CLASSES if token_type[: len(parent)] == parent), "")
