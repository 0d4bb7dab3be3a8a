"""Code: its exact text and its language."""

import re
from html import escape

from instep.transfer.imports.html.html_document import (
    BLOCK_TAGS,
    HtmlDocument,
    Node,
    children,
    rename,
    replace_inner,
    tag_of,
    unwrap,
)

LANGUAGE_CLASS = re.compile(
    r"(?:^|\s)(?:lang(?:uage)?-|highlight-source-|brush:\s*)([\w+#.-]+)", re.IGNORECASE
)
# Attributes in which products write the language, other than classes.
LANGUAGE_ATTRIBUTES = ("data-language", "data-lang", "data-syntaxhighlighter-params", "lang")
NO_LANGUAGE = {"none", "plain", "auto"}


def keep_code(document: HtmlDocument) -> None:
    """Reduce code to its text; a link around all of it is kept."""
    for pre in document.css("pre"):
        language, text = language_of(pre), text_of_code(pre)
        inner = f'<code class="language-{language}">' if language else "<code>"
        replace_inner(pre, f"{inner}{escape(text)}</code>")
    for code in document.css("tt, samp"):
        rename(document, code, "code")
    for code in document.css("code"):
        if tag_of(code.parent) != "pre":
            keep_inline_code(document, code)


def keep_inline_code(document: HtmlDocument, code: Node) -> None:
    link = code.css_first("a[href]")
    if link is not None and link.text() != code.text():
        return unwrap(code)
    if link is None and code.css_first("img") is not None:
        return unwrap(code)
    text = text_of_code(code)
    if "\n" in text.strip() and is_alone(code):
        block = rename(document, code, "pre")
        replace_inner(block, f"<code>{escape(text)}</code>")
        return None
    inner = escape(" ".join(text.split()))
    if link is None:
        replace_inner(code, inner)
        return None
    replace_inner(link, f"<code>{inner}</code>")
    return unwrap(code)


def is_alone(code: Node) -> bool:
    """True if the code's paragraph contains nothing else."""
    parent = code.parent
    return (
        parent is not None and tag_of(parent) in {"p", "div"} and parent.text().strip() == code.text().strip()
    )


def text_of_code(node: Node) -> str:
    """The text with its visible line breaks."""
    lines = "".join(parts_of_code(node)).replace("\u00a0", " ").split("\n")
    return "\n".join(lines).removeprefix("\n").rstrip("\n")


def parts_of_code(node: Node) -> list[str]:
    parts = list[str]()
    for child in children(node):
        name = tag_of(child)
        if child.is_text_node:
            parts.append(child.text_content or "")
        elif name == "br":
            parts.append("\n")
        else:
            parts += parts_of_code(child)
            if name in BLOCK_TAGS:
                parts.append("\n")
    return parts


def language_of(pre: Node) -> str:
    """The language as the product writes it; empty if there is none."""
    for node in (pre, *pre.css("code")):
        attributes = node.attributes
        texts = [attributes.get("class") or "", *(attributes.get(name) or "" for name in LANGUAGE_ATTRIBUTES)]
        for text in texts:
            match = LANGUAGE_CLASS.search(text)
            language = (match[1] if match else text if text is not texts[0] else "").strip(" .;")
            if re.fullmatch(r"[\w+#-]{1,30}", language):
                return "" if language.lower() in NO_LANGUAGE else language
    return ""
