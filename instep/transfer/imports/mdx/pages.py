"""Reads pages of products with components in Markdown: front matter, title and plain Markdown."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from instep.transfer.imports.markdown.attribute_lists import remove_attribute_lists
from instep.transfer.imports.markdown.callouts import Container, alert_of, replace_colon_containers
from instep.transfer.imports.markdown.fields import Fields
from instep.transfer.imports.markdown.plain_pages import page_of_markdown
from instep.transfer.imports.markdown.source_pages import SourcePage, read_page
from instep.transfer.imports.mdx.components import details
from instep.transfer.imports.mdx.included_files import IncludedFiles
from instep.transfer.imports.mdx.page_layout import bold_label, paragraphs
from instep.transfer.imports.mdx.writer import PageWriter
from instep.transfer.imports.tree.schemas import ImportedPage, Losses

_TOC = re.compile(r"^[ \t]*\[\[toc\]\][ \t]*$", re.MULTILINE | re.IGNORECASE)


class ComponentPage(NamedTuple):
    """A page as plain Markdown, with the fields of its front matter."""

    fields: Fields
    imported: ImportedPage


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
        title = page.fields.text("title") or head.text("name")
        plain = page_of_markdown(
            page, remove_attribute_lists(text), writer.code, title, has_bare_titles=self.has_bare_titles
        )
        return ComponentPage(page.fields, plain)


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
