"""Converts the body of a page with components to plain Markdown."""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import unescape

from instep.platform.core.directives import FENCE
from instep.platform.text.characters import shorten
from instep.transfer.imports.html.convert import to_markdown
from instep.transfer.imports.html.escapes import shown_comparisons
from instep.transfer.imports.javascript.js_values import (
    SHOWN_SOURCE_CHARACTERS,
    JsCall,
    JsUnknown,
    JsValue,
    at,
    js_array,
    js_object,
    js_text,
)
from instep.transfer.imports.javascript.modules import (
    ASTRO,
    SCRIPT,
    Module,
    expression_value,
    is_complete_module,
)
from instep.transfer.imports.javascript.returned_tags import tags_of_component, tags_of_expression
from instep.transfer.imports.markdown.hidden_code import HiddenCode, hide_into
from instep.transfer.imports.markdown.source_pages import SourcePage, read_page
from instep.transfer.imports.mdx.components import COMPONENTS, dropped, icon_label, illustration, unwrapped
from instep.transfer.imports.mdx.elements import Element, ElementNode, Expression, parse_elements
from instep.transfer.imports.mdx.html_tags import HTML_TAGS, TOLD_TAGS
from instep.transfer.imports.mdx.included_files import IncludedFiles, code_region, rebase_links
from instep.transfer.imports.mdx.page_layout import (
    MarkdownPiece,
    PageLayout,
    Tag,
    block,
    bold_label,
    dedent_block,
    on_one_line,
    paragraphs,
    place,
)
from instep.transfer.imports.tree.schemas import Inclusion

_MODULE_LINE = re.compile(r"(?:import|export)(?=[\s{*\"'])")
# Attributes that are links.
_ADDRESSES = ("href", "src", "to", "url", "link")
_CODE_TAGS = frozenset(("pre", "Code", "CodeBlock", "Mermaid", "include", "Snippet"))
_CODE_ATTRIBUTES = ("code", "chart", "children")
_TAG_START = re.compile(r"(?<!\\)<(?=[A-Za-z/!])")
_JSX_INDENT = re.compile(r"\n[ \t]+")
_CHILDREN = ("children", "props.children")
_FIELD = re.compile(r"\$?(?:frontMatter|frontmatter|metadata|props|page\.data)\.(\w+)|(\w+)")
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|avif)$", re.IGNORECASE)
_VERBATIM = re.compile(r"^[ \t]*(:{3,})[ \t]*v-pre[ \t]*$.*?^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
_INTERPOLATION = re.compile(r"\{\{.*?\}\}", re.DOTALL)
# Names in braces, such as `{surveyId}` and `{ url, label }`, which older versions of MDX show as text.
_PLACEHOLDER = re.compile(r"(?=[^\W\d])\w[\w ,:-]*")
_INLINE_PREFIX = re.compile(r"[ \t>]*$")
# Components that show something even without content.
_SPEAKING = frozenset(COMPONENTS.values()) - {dropped, icon_label, unwrapped}
# The class by which Starlight hides the picture for dark pages on light ones.
_ONLY_DARK = "light:sl-hidden"
_SHOWS_TAGS = re.compile(r"\.map\(|\?|&&")
_MAX_SNIPPET_DEPTH = 8
# The maximum number of blocks of one statement. A page on which this fails often has no statements.
_MAX_STATEMENT_BLOCKS = 40
_MAX_FAILURES = 20
# The maximum size of all snippets of one page together.
_MAX_SNIPPET_CHARACTERS = 1_000_000


@dataclass(slots=True)
class PageWriter:
    """Converts one page, or one snippet in it. `props` are the attributes with which a snippet is used."""

    page: SourcePage
    snippets: IncludedFiles
    code: HiddenCode = field(default_factory=HiddenCode)
    props: Mapping[str, str] = field(default_factory=dict)
    depth: int = 0
    # The remaining number of characters for snippets, shared with the snippets.
    budget: list[int] = field(default_factory=lambda: [_MAX_SNIPPET_CHARACTERS])
    # Writes the children of the current component.
    children: Callable[[Tag | None], str] | None = None
    # The files whose whole text is in the page, shared with the snippets.
    files: set[str] = field(default_factory=set)
    module: Module = field(init=False)

    def write(self, body: str) -> str:
        """The body with components, expressions and modules replaced; code stays hidden in `code`."""
        dialect = self.snippets.dialect(self.page.path)
        text = hide_into(body, self.code, has_indented_code=self.snippets.has_indented_code(self.page.path))
        text = _VERBATIM.sub(self._hide_interpolations, text) if dialect == "vue" else text
        statements = ""
        if dialect == "mdx":
            text, statements = _split_module(text, self.code)
        self.module = Module(self.snippets.configuration, self.page.path, statements)
        return self._text_of(parse_elements(shown_comparisons(text, "\\<"), dialect), None)

    def _hide_interpolations(self, container: re.Match[str]) -> str:
        return _INTERPOLATION.sub(lambda match: self.code.add_span(match[0]), container[0])

    def _text_of(self, nodes: Sequence[ElementNode], parent: Tag | None) -> str:
        layout = PageLayout(has_indented_code=self.snippets.has_indented_code(self.page.path))
        parts: list[str] = []
        line = ""
        for node in self._repeated(nodes):
            part = node if isinstance(node, str) else layout.add(self._piece(node, parent, line))
            parts.append(part)
            line = part.rpartition("\n")[2] if "\n" in part else line + part
        return layout.resolve("".join(parts))

    def _repeated(self, nodes: Sequence[ElementNode]) -> Iterator[ElementNode]:
        """The nodes, with `values.map(…)` and conditions replaced by the tags that they show.

        The names in these tags are defined while they are written.
        """
        for node in nodes:
            rows = None
            if isinstance(node, Expression) and _SHOWS_TAGS.search(node.text) and self._affords(0):
                rows = tags_of_expression(self.module, self.code.show(node.text))
            if rows is None or not self._affords(sum(len(row.text) for row in rows)):
                yield node
                continue
            for row in rows:
                with self.module.named(row.names):
                    yield from self._repeated(_nodes_of(row.text))

    def _affords(self, characters: int) -> bool:
        self.budget[0] -= characters
        return self.budget[0] >= 0

    def _piece(self, node: Expression | Element, parent: Tag | None, line: str) -> MarkdownPiece:
        if isinstance(node, Element):
            return self._element(node, parent, line)
        if self.children is not None and node.text.strip() in _CHILDREN:
            text = self.children(parent)
            return MarkdownPiece(text, "block" if "\n" in text else "inline")
        return MarkdownPiece(self._expression_text(node, parent))

    def _element(self, element: Element, parent: Tag | None, line: str) -> MarkdownPiece:
        tag = self._tag(element, parent)
        tag.line = self.code.show(line)
        if imported := self._imported(element):
            return self._included(imported, tag)
        write = COMPONENTS.get(element.name) or HTML_TAGS.get(element.name)
        if write is illustration and _ONLY_DARK in tag.value("class", "className").split():
            return MarkdownPiece("")
        if write is None and element.name not in _CODE_TAGS:
            if (unknown := self._unknown(element, tag)) is not None:
                return unknown
        else:
            self._tell_known(element)
        if element.name in _CODE_TAGS:
            return self._code_piece(element, tag, is_in_table=line.lstrip().startswith("|"))
        quotes = line.count(">") if _INLINE_PREFIX.fullmatch(line) else 0
        tag.inner = dedent_block(self._text_of(self._children(element), tag), quotes)
        piece = (write or unwrapped)(tag)
        self._tell_page(element, piece)
        if not piece.text and element.attributes and write in _SPEAKING:
            # It states its content in an unknown way.
            self._tell_component(element)
        identity = place(tag.value("id"))
        if piece.kind == "block" and identity and identity not in piece.text:
            return block(paragraphs(identity, piece.text))
        return piece

    def _children(self, element: Element, *, is_code: bool = False) -> Sequence[ElementNode]:
        """The nodes in a tag, or the HTML that an attribute of Astro or React states for it."""
        html = element.attributes.get("set:html") or element.attributes.get("dangerouslySetInnerHTML")
        if html is None or HTML_TAGS.get(element.name) is dropped:
            return element.children
        value = unescape(html) if isinstance(html, str) else self._value(html)
        value = value.get("__html") if isinstance(value, dict) else value
        if not isinstance(value, str):
            self._tell_component(element)
            return element.children
        if is_code or element.name == "code":
            return parse_elements(value, "html")
        text = to_markdown(f"<body>{value}")
        for loss in text.losses:
            self.page.losses.add(loss, element.source)
        return [hide_into(text.markdown.strip("\n"), self.code)]

    def _unknown(self, element: Element, tag: Tag) -> MarkdownPiece | None:
        """A tag that the source should define; None, and a recorded loss, if only its children are kept."""
        if not element.is_closed and not element.attributes:
            # Text in angle brackets, such as a placeholder.
            return MarkdownPiece("\\" + element.source)
        piece = self._own_component(element, tag)
        if piece is None:
            self._tell_component(element)
        return piece

    def _tell_known(self, element: Element) -> None:
        if self._is_missing(element):
            self._tell_component(element)

    def _tell_page(self, element: Element, piece: MarkdownPiece) -> None:
        """Report what a page shows, and the article only links to or omits."""
        if element.name in TOLD_TAGS and not piece.text.startswith(FENCE):
            self.page.losses.add(f"{TOLD_TAGS[element.name]}: <{element.name}>", element.source)

    def _own_component(self, element: Element, tag: Tag) -> MarkdownPiece | None:
        """The markup of a component in the source; None if it can't be read completely from its file."""
        module, name = self._definition(element.name)
        if module is None or self.depth >= _MAX_SNIPPET_DEPTH:
            return None
        props = {
            key: unescape(value) if isinstance(value, str) else self._value(value)
            for key, value in element.attributes.items()
        }
        tags = tags_of_component(module, name, props)
        if tags is None or not self._affords(len(tags.text)):
            return None
        here, names, outer = self.module, self.module.names, self.module.props

        def children(parent: Tag | None) -> str:
            with here.named(names, outer):
                return dedent_block(self._text_of(element.children, parent))

        writer = PageWriter(self.page, self.snippets, self.code, {}, self.depth + 1, self.budget, children)
        writer.module = module
        losses = self.page.losses.losses.rows
        before = len(losses)
        with module.named(tags.names, tags.names if module.path.endswith(ASTRO) else {}):
            text = writer._text_of(_nodes_of(tags.text), tag.parent)
        if all(loss.what.startswith(tuple(TOLD_TAGS.values())) for loss in losses[before:]):
            self.files |= writer.files
            return MarkdownPiece(text.strip("\n"), "block" if "\n" in text else "inline")
        del losses[before:]
        return None

    def _definition(self, name: str) -> tuple[Module | None, str]:
        """The module that defines a component, and the component's name in it."""
        if name not in self.module.imports:
            return self.module if name in self.module.nodes else None, name
        source, exported = self.module.imports[name]
        path = self.snippets.find(source, self.module.path)
        is_script = path is not None and (SCRIPT.search(path) or path.endswith(ASTRO))
        return self.snippets.configuration.module(path) if path and is_script else None, exported

    def _is_missing(self, element: Element) -> bool:
        """True if a component includes a text file that is not in the source."""
        path, _ = self.module.imports.get(element.name, ("", ""))
        return path.endswith((".md", ".mdx")) and self.snippets.find(path, self.page.path) is None

    def _tell_component(self, element: Element) -> None:
        """Report a component with its file, so that people can add the file or replace the component."""
        path, _ = self.module.imports.get(element.name, ("", ""))
        place = f" of {path}" if path.startswith((".", "/", "@site/")) else ""
        reason = ", which isn't in the source" if self._is_missing(element) else ""
        self.page.losses.add(f"component <{element.name}>{place}{reason}", element.source)

    def _tag(self, element: Element, parent: Tag | None) -> Tag:
        tag = Tag(element.name, {}, element.source, parent)
        for name, value in element.attributes.items():
            if isinstance(value, str):
                tag.values[name] = _words(name, unescape(value))
                continue
            worth = self._value(value)
            text = _style(worth) if name == "style" else ""
            tag.values[name] = "true" if worth is True else _words(name, js_text(worth) or text)
            if name in _ADDRESSES and isinstance(worth, JsUnknown | JsCall) and not tag.values[name]:
                what = f"URL of <{element.name}> that is computed by a program: {{{value.text}}}"
                self.page.losses.add(what, element.source)
            tag.labels[name] = [js_text(label) or js_text(at(label, "label")) for label in js_array(worth)]
            tag.tables[name] = _rows(worth)
        return tag

    def _expression_text(self, expression: Expression, parent: Tag | None) -> str:
        """The value of an expression if it is text; otherwise a loss is recorded."""
        text = on_one_line(self.code.show(expression.text))
        is_vue = self.snippets.dialect(self.page.path) == "vue"
        if is_vue and _is_verbatim(parent):
            return self.code.add_span(f"{{{{ {text} }}}}")
        value = self._value(expression)
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            return js_text(value)
        short = shorten(text, SHOWN_SOURCE_CHARACTERS)
        if isinstance(value, JsUnknown) and _PLACEHOLDER.fullmatch(text) and not is_vue:
            # No statement of the page defines its names, so people read it as it is written.
            self.page.losses.add(f"expression {{{short}}}, kept as text", f"{{{expression.text}")
            return self.code.add_span(f"{{{text}}}")
        if value is not None and not isinstance(value, bool):
            self.page.losses.add(f"expression {{{short}}}", expression.text)
        return ""

    def _value(self, expression: Expression) -> JsValue:
        """The value of an expression, which may use props and front matter."""
        text = self.code.show(expression.text).strip()
        if match := _FIELD.fullmatch(text):
            name = match[1] or match[2]
            words = self.props.get(name) or (self.page.fields.text(name) if match[1] else "")
            if words:
                return words
        return expression_value(self.module, text)

    def _imported(self, element: Element) -> str | None:
        """The path of the file that a component includes, if it is in the source."""
        if element.name not in self.module.imports:
            return None
        path = self.snippets.find(self.module.imports[element.name][0], self.page.path)
        return path if path and (path.endswith((".md", ".mdx")) or _PICTURE.search(path)) else None

    def _included(self, path: str, tag: Tag, section: str = "") -> MarkdownPiece:
        """The text of a snippet, an image, or any other file as code."""
        if _PICTURE.search(path):
            address = posixpath.relpath(path, posixpath.dirname(self.page.path) or ".")
            return illustration(replace(tag, values={**tag.values, "src": address}))
        content = self.snippets.files.read(path)
        self.budget[0] -= len(content)
        if self.depth >= _MAX_SNIPPET_DEPTH or self.budget[0] < 0:
            self.page.losses.add_refusal(path, tag.source)
            return MarkdownPiece("")
        if not path.endswith((".md", ".mdx")):
            language = tag.value("lang") or posixpath.splitext(path)[1].removeprefix(".")
            info = f"{language} {tag.value('meta')}".strip()
            return block(self._fence(content.decode("utf-8", "replace"), info, section))
        page = read_page(path, content, self.page.losses.losses)
        writer = PageWriter(
            page, self.snippets, self.code, tag.values, self.depth + 1, self.budget, None, self.files
        )
        text = writer.write(_section(page.body, section)).strip("\n")
        if tag.values.keys() <= {"file", "src"} and not section:
            self.files.add(path)
            if self.depth == 0:
                inclusion = Inclusion(self.page.path, path, self.code.show(text))
                self.page.losses.losses.inclusions.append(inclusion)
        return block(rebase_links(text, path, self.page.path, self.snippets.configuration.paths))

    def _code_piece(self, element: Element, tag: Tag, *, is_in_table: bool) -> MarkdownPiece:
        """Code in the text or attributes of a tag, or in a file that it refers to."""
        children = self._children(element, is_code=True)
        content = "".join(child for child in children if isinstance(child, str)).strip()
        if element.name in ("include", "Snippet"):
            return self._file_piece(tag, content or tag.value("file", "src"))
        if element.name == "pre":
            if "\x00B" in content:
                return block(dedent_block(self._text_of(element.children, tag)))
            text = unescape(self.code.show(self._plain_text(children, tag)))
            if is_in_table and text:
                return MarkdownPiece(self.code.add_span(code_span(text)))
            return block(self._fence(text, "") if text else "")
        text = tag.value(*_CODE_ATTRIBUTES) or self._raw_text(element) or self.code.show(content)
        if not text:
            self._tell_component(element)
            return MarkdownPiece("")
        language = "mermaid" if element.name == "Mermaid" else tag.value("lang", "language")
        return block(paragraphs(bold_label(tag.value("title")), self._fence(text, language)))

    def _plain_text(self, nodes: Sequence[ElementNode], parent: Tag) -> str:
        """Nodes as text, without nested tags."""
        text = ""
        for node in nodes:
            if isinstance(node, Element):
                text += self._plain_text(self._children(node, is_code=True), parent)
            else:
                text += node if isinstance(node, str) else self._expression_text(node, parent)
        return text.strip("\n")

    def _file_piece(self, tag: Tag, target: str) -> MarkdownPiece:
        name, _, section = target.partition("#")
        place = f"/snippets/{name}" if tag.name == "Snippet" else name
        path = self.snippets.find(f"/{name}" if tag.has("cwd") else place, self.page.path)
        if path is None:
            self.page.losses.add(f"file that isn't in the source: {name}", tag.source)
            return MarkdownPiece("")
        return self._included(path, tag, section)

    def _raw_text(self, element: Element) -> str:
        """The raw text of an imported file that is used in braces."""
        for child in element.children:
            if not isinstance(child, Expression):
                continue
            if child.text in self.module.imports:
                path = self.snippets.find(self.module.imports[child.text][0], self.page.path)
                return self.snippets.files.read(path).decode("utf-8", "replace") if path else ""
            return js_text(self._value(child))
        return ""

    def _fence(self, text: str, language: str, region: str = "") -> str:
        return self.code.add_text("\n".join(code_region(text.rstrip().split("\n"), region)), language)


def _words(name: str, text: str) -> str:
    """The text of an attribute as Markdown without tags; code is kept verbatim."""
    return text if name in _CODE_ATTRIBUTES else _TAG_START.sub(r"\\<", text)


def _style(value: JsValue) -> str:
    """The object in an attribute `style` as the declarations of a style sheet."""
    return "; ".join(f"{name}: {js_text(each)}" for name, each in js_object(value).items())


def _nodes_of(jsx: str) -> list[ElementNode]:
    """The nodes of tags in a program, without indentation."""
    return parse_elements(_JSX_INDENT.sub("\n", jsx), "mdx")


def _is_verbatim(tag: Tag | None) -> bool:
    """True if Vue does not compile the content of a tag."""
    while tag is not None and "v-pre" not in tag.values:
        tag = tag.parent
    return tag is not None


def code_span(text: str) -> str:
    """A code span with as many backticks as it needs."""
    text = on_one_line(text)
    ticks = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    edge = " " if "`" in text[:1] + text[-1:] else ""
    return f"{ticks}{edge}{text}{edge}{ticks}"


def _split_module(text: str, code: HiddenCode) -> tuple[str, str]:
    """The text without `import` and `export` statements, which end at a blank line, and these statements."""
    text_blocks: list[str] = []
    statements: list[str] = []
    blocks = re.split(r"(\n[ \t]*\n)", text)
    number = failures = 0
    while number < len(blocks):
        end = 0
        if _MODULE_LINE.match(blocks[number].lstrip("\n")) and failures < _MAX_FAILURES:
            ends = range(number + 1, min(number + 1 + _MAX_STATEMENT_BLOCKS, len(blocks) + 1), 2)
            texts = ((each, code.show("".join(blocks[number:each]))) for each in ends)
            end, statement = next(((each, text) for each, text in texts if is_complete_module(text)), (0, ""))
            statements.append(statement)
            failures += not end
        if not end:
            text_blocks.append(blocks[number])
        number = end or number + 1
    return "".join(text_blocks), "\n".join(statements)


def _rows(value: JsValue) -> list[tuple[str, str, str]]:
    """Objects in an attribute as rows: label and value of a list; name, type and description of an object."""
    rows = [(js_text(at(row, "label")), js_text(at(row, "value")), "") for row in js_array(value)]
    fields = value if isinstance(value, dict) else {}
    return rows + [
        (name, js_text(at(inner, "type")), js_text(at(inner, "description")))
        for name, inner in fields.items()
        if js_object(inner)
    ]


def _section(text: str, name: str) -> str:
    """The part of a text in `<section id="name">`; without a name, the whole text."""
    pattern = rf"<section\s+id=[\"']?{re.escape(name)}[\"']?\s*>(.*?)</section>"
    match = re.search(pattern, text, re.DOTALL) if name else None
    return match[1] if match else text
