"""Reads pages of products with components in Markdown: front matter, title and plain Markdown."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from instep.transfer.imports.html.escapes import plainer
from instep.transfer.imports.markdown.attribute_lists import remove_attribute_lists
from instep.transfer.imports.markdown.callouts import Container, alert_of, replace_colon_containers
from instep.transfer.imports.markdown.fields import Fields
from instep.transfer.imports.markdown.grouping import take_titles
from instep.transfer.imports.markdown.heading_ids import HeadingIds, take_heading_ids
from instep.transfer.imports.markdown.hidden_code import Fence, HiddenCode
from instep.transfer.imports.markdown.plain_pages import titled_fence, with_blank_lines
from instep.transfer.imports.markdown.source_pages import SourcePage, read_page
from instep.transfer.imports.markdown.table_heads import repair_table_heads
from instep.transfer.imports.markdown.titles import take_title
from instep.transfer.imports.mdx.components import details
from instep.transfer.imports.mdx.included_files import IncludedFiles
from instep.transfer.imports.mdx.page_layout import paragraphs
from instep.transfer.imports.mdx.tags import bold_label
from instep.transfer.imports.mdx.writer import PageWriter
from instep.transfer.imports.tree.schemas import Losses

_FENCE_LINE = re.compile(r"^([^\x00\n]*)\x00B(\d+)\x00", re.MULTILINE)
_LANGUAGE = re.compile(r"[^\s{:\[]+")
_TITLE = re.compile(
    r"(?:title|filename|file|tab|label)=(?:\"([^\"]*)\"|'([^']*)'|\{[\"'`]([^\"'`]*)[\"'`]\}|(\S+))"
)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
# A title in brackets has letters; numbers, and lists in options, are those of lines.
_BRACKETS = re.compile(r"(?<![=:,{])\[(?=[^\[\]]*[^\W\d_])([^\[\]]++)\]")
_TOC = re.compile(r"^[ \t]*\[\[toc\]\][ \t]*$", re.MULTILINE | re.IGNORECASE)
# Words in the info string that Mintlify reads after a title, or instead of it.
_OPTION = re.compile(r"(?:\b[\w-]+=)?\{[^}]*\}|\[[\d\s,-]*\]|\b[\w-]+=(?:\"[^\"]*\"|'[^']*'|\S+)")
_SIGN = re.compile(r"[\\`*_\[\]<&]")
_FLAGS = frozenset(
    (
        "wrap",
        "lines",
        "expandable",
        "theme",
        "twoslash",
        "live",
        "copy",
        "nocopy",
        "showLineNumbers",
        "noInline",
    )
)


@dataclass(frozen=True, slots=True)
class ComponentPage:
    """A page of the tree, with the fields of its front matter."""

    path: str
    fields: Fields
    title: str
    markdown: str
    heading_ids: HeadingIds

    @property
    def description(self) -> str | None:
        return self.fields.text("description") or None


@dataclass(frozen=True, slots=True)
class PageReader:
    """Reads pages of one source. `prepare` changes the body first."""

    snippets: IncludedFiles
    losses: Losses
    prepare: Callable[[SourcePage], str] = lambda page: page.body
    # Mintlify writes the title of a code block after its language, without quotes.
    has_bare_titles: bool = False

    def read(self, path: str) -> ComponentPage:
        page = read_page(path, self.snippets.files.read(path), self.losses)
        writer = PageWriter(page, self.snippets, files=self.losses.files_of_page[path])
        head = page.fields.fields("hero")
        with self.snippets.configuration.reading_page():
            text = writer.write(paragraphs(hero(page.fields), self.prepare(page)))
        text = replace_colon_containers(_TOC.sub("", text), _container)
        text = self._label_fences(remove_attribute_lists(text), writer.code)
        text = repair_table_heads(with_blank_lines(take_titles(text, writer.code)))
        text = writer.code.show(text).strip("\n")
        title, text = take_title(page.fields.text("title") or head.text("name"), text, path)
        markdown, heading_ids = take_heading_ids(text)
        markdown = markdown.strip("\n")
        return ComponentPage(path, page.fields, title, markdown + "\n" if markdown else "", heading_ids)

    def _label_fences(self, text: str, code: HiddenCode) -> str:
        """The text with titles of code blocks as bold labels above the fences."""

        def label(match: re.Match[str]) -> str:
            number = int(match[2])
            fence = code.fences[number]
            language, title = _info(fence, self.has_bare_titles)
            code.fences[number] = fence._replace(info=language)
            if not title:
                return match[0]
            return titled_fence(match[1], bold_label(title), number)

        return _FENCE_LINE.sub(label, text)


def _info(fence: Fence, has_bare_titles: bool) -> tuple[str, str]:
    """The language and the title in an info string."""
    info = fence.info.strip()
    match = _LANGUAGE.match(info)
    language = match[0] if match else ""
    if language.startswith(("title=", "tab=", "filename=")):
        language = ""
    rest = info[len(language) :]
    title = _TITLE.search(rest)
    if title:
        words = next(text for text in title.groups() if text is not None)
        return language, _TAG.sub("", words).strip()
    if brackets := _BRACKETS.search(rest):
        return language, brackets[1]
    words = _OPTION.sub(" ", rest).split() if has_bare_titles else []
    plain = " ".join(word for word in words if word not in _FLAGS)
    if not any(map(str.isalnum, plain)):
        return language, ""
    return language, plainer(_SIGN.sub(r"\\\g<0>", plain))


def _container(container: Container) -> str:
    """A `:::` container; directives that our pages have stay as they are."""
    if container.kind in ("raw", "v-pre"):
        return container.body
    if container.kind == "details":
        return details(container.title, container.body)
    return alert_of(container)


def hero(fields: Fields) -> str:
    """The text of a landing page, which Starlight and VitePress have in its front matter."""
    head = fields.fields("hero")
    actions = [Fields(row) for row in head.items("actions") if isinstance(row, dict)]
    links = [f"- [{row.text('text')}]({row.text('link')})" for row in actions if row.text("link")]
    features = [Fields(row) for row in fields.items("features") if isinstance(row, dict)]
    rows = [f"- **{_linked(row)}**: {row.text('details')}" for row in features]
    return paragraphs(
        bold_label(head.text("title", "text")), head.text("tagline"), "\n".join(links), "\n".join(rows)
    )


def _linked(row: Fields) -> str:
    return f"[{row.text('title')}]({row.text('link')})" if row.text("link") else row.text("title")
