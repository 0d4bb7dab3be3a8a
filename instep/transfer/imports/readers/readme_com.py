"""Reads ReadMe: `docs/<Category>/<page>.md` with `_order.yaml`, a changelog, and `[block:…]`.

Older exports have the categories at the top and no order.
"""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice

from instep.platform.text.characters import whole_number
from instep.transfer.imports.html.block_tags import arguments_of
from instep.transfer.imports.html.callout_kinds import ALERT_KINDS, kind_of_icon
from instep.transfer.imports.html.markdown_links import link, markdown_table, picture
from instep.transfer.imports.markdown.callouts import alert
from instep.transfer.imports.markdown.emoji_codes import replace_emoji_codes
from instep.transfer.imports.markdown.fields import read_yaml
from instep.transfer.imports.markdown.grouping import grouped_tabs, tab
from instep.transfer.imports.markdown.hidden_code import HiddenCode
from instep.transfer.imports.markdown.own_fields import HIDDEN_ENTRY
from instep.transfer.imports.markdown.plain_pages import headed_block, plain_page
from instep.transfer.imports.markdown.source_pages import SourcePage, read_page
from instep.transfer.imports.tree.file_names import title_of_name, without_extension
from instep.transfer.imports.tree.folders import folder_entries, page_paths
from instep.transfer.imports.tree.json_values import load_json
from instep.transfer.imports.tree.navigation import arrange
from instep.transfer.imports.tree.own_sites import own_sites
from instep.transfer.imports.tree.schemas import (
    ImportedEntry,
    ImportedPage,
    Losses,
    PageStatus,
    Reader,
    SourceFiles,
    Tree,
    read_text,
)

_ORDER = "_order.yaml"
_ROOTS = ("docs", "reference", "recipes", "custom_pages")
_CHANGELOG = ("changelogs/", "changelog/")
_SAMPLE_PAGES = 50
_BLOCK = re.compile(r"\[block:([\w-]+)\]\s*(.*?)\s*\[/block\]", re.DOTALL)
_JSON_BLOCK = re.compile(r"(?m)^\[block:[\w-]+\]\s*\{")
_CALLOUT = re.compile(r"<Callout\b([^<>]*)>(.*?)</Callout>", re.DOTALL)
_COMPONENT = re.compile(r"<(Image|Embed|Anchor)\b([^<>]*?)(?:/>|>(.*?)</\1>)", re.DOTALL)
_TABS = re.compile(r"<Tab\b[^<>]*?title=[\"']([^\"'<>]*)[\"'][^<>]*>(.*?)</Tab>", re.DOTALL)
_TAG = re.compile(r"</?([A-Z]\w*)\b[^<>]*>")
_EMOJI_CALLOUT = re.compile(r"^>[ \t]*(\u2139\ufe0f?|📘|👍|✅|🚧|⚠️|❗️?|🛑|❌)[ \t]*(.*)$", re.MULTILINE)
_VARIABLE = re.compile(r"<<([\w:.-]+)>>|\{user\.(\w+)\}")


def recognises(files: SourceFiles) -> bool:
    return any(posixpath.basename(path) == _ORDER for path in files.paths()) or any(
        _JSON_BLOCK.search(read_text(files, path)) for path in islice(page_paths(files), _SAMPLE_PAGES)
    )


def read(files: SourceFiles, losses: Losses) -> Tree:
    pages: dict[str, ImportedPage] = {}
    entries = []
    has_roots = any(path.startswith(tuple(f"{root}/" for root in _ROOTS)) for path in page_paths(files))
    for path in page_paths(files):
        page = read_page(path, files.read(path), losses)
        plain = plain_page(page, partial(_transform, page))
        if path.startswith(_CHANGELOG):
            entries.append(_entry(page, plain))
        elif path.partition("/")[0] in _ROOTS or not has_roots:
            pages[path] = _page(page, plain)
    order = _order_of(files)
    roots = [root for root in _ROOTS if any(path.startswith(f"{root}/") for path in pages)] or [""]
    navigation = [
        entry
        for root in roots
        for entry in folder_entries(pages, root, lambda path: _position(path, order), title_of_name)
    ]
    arranged, collections = arrange(navigation, pages, losses)
    return Tree("readme_com", None, arranged, collections, tuple(entries), sites=own_sites(arranged))


def _page(page: SourcePage, plain: ImportedPage) -> ImportedPage:
    fields, metadata = page.fields, page.fields.fields("metadata")
    top = page.path.partition("/")[0]
    root = top if top in _ROOTS else _ROOTS[0]
    bare = without_extension(page.path)
    name = posixpath.basename(posixpath.dirname(bare) if posixpath.basename(bare) == "index" else bare)
    return replace(
        plain,
        # ReadMe serves all pages of a root on one level, by slug.
        address=f"/{root}/{fields.text('slug') or name}",
        slug=fields.text("slug") or name,
        description=fields.text("excerpt") or metadata.text("description") or None,
        status="draft" if fields.is_true("hidden") else plain.status,
    )


def _entry(page: SourcePage, plain: ImportedPage) -> ImportedEntry:
    written = page.fields.text("published_at", "createdAt", "date")
    try:
        moment = datetime.fromisoformat(written) if written else None
    except ValueError:
        page.losses.add(f"date that can't be read: {written}", written)
        moment = None
    status: PageStatus = "draft" if page.fields.is_true("hidden") else plain.status
    if plain.visibility == "authenticated" and status == "published":
        page.losses.add(HIDDEN_ENTRY, "visibility")
        status = "draft"
    return ImportedEntry(
        key=page.path,
        path=page.path,
        title=plain.title,
        markdown=plain.markdown,
        published_at=moment.replace(tzinfo=moment.tzinfo or UTC) if moment else None,
        status=status,
    )


def _order_of(files: SourceFiles) -> Mapping[str, int]:
    """The index of each path in its folder's `_order.yaml`."""
    order: dict[str, int] = {}
    for path in files.paths():
        if posixpath.basename(path) == _ORDER:
            try:
                names = read_yaml(read_text(files, path))
            except ValueError:
                names = []
            folder = posixpath.dirname(path)
            texts = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
            order |= {posixpath.join(folder, name): number for number, name in enumerate(texts)}
    return order


def _position(path: str, order: Mapping[str, int]) -> tuple[float, str]:
    return (order.get(path, float("inf")), path.casefold())


def _transform(page: SourcePage, text: str, code: HiddenCode) -> str:
    text = _BLOCK.sub(lambda block: _plain_block(block[1], block[2], code, page), text)
    text = _CALLOUT.sub(lambda callout: _plain_callout(callout[1], callout[2]), text)
    text = _TABS.sub(lambda match: tab(match[1], match[2]), text)
    text = _COMPONENT.sub(
        lambda component: _plain_component(component[1], component[2], component[3] or ""), text
    )
    text = _EMOJI_CALLOUT.sub(_plain_emoji_callout, text)
    for tag in _TAG.finditer(text):
        if not tag[0].startswith("</") and tag[1] not in ("Tabs", "Columns", "Column", "Cards"):
            page.losses.add(f"component <{tag[1]}>, reduced to its text", tag[0])
    text = _VARIABLE.sub(lambda variable: _plain_variable(variable, page), text)
    return replace_emoji_codes(grouped_tabs(_TAG.sub("", text)))


def _plain_emoji_callout(match: re.Match[str]) -> str:
    # Red callouts in ReadMe have an exclamation mark as their icon.
    kind = "CAUTION" if match[1].startswith("❗") else kind_of_icon(match[1])
    return f"> [!{kind}] {match[2].strip()}".rstrip()


def _plain_variable(match: re.Match[str], page: SourcePage) -> str:
    page.losses.add(f"variable {match[0]}", match[0])
    return (match[1] or match[2]).rpartition(":")[2]


def _plain_callout(attributes: str, body: str) -> str:
    named, _ = arguments_of(attributes)
    kind = ALERT_KINDS.get(named.get("theme", ""), "NOTE")
    return f"\n\n{alert(kind, named.get('title', ''), body.strip())}\n\n"


def _plain_component(name: str, attributes: str, body: str) -> str:
    named, _ = arguments_of(attributes)
    if name == "Image":
        image = picture(named.get("alt") or named.get("title", ""), named.get("src", ""))
        caption = named.get("caption", "") or body.strip()
        return f"\n\n{image}\n\n{caption}\n\n" if caption else image
    target = named.get("url") or named.get("href", "")
    return link(body.strip() or named.get("title", "") or named.get("label", ""), target)


def _plain_block(kind: str, source: str, code: HiddenCode, page: SourcePage) -> str:
    """A block of the old editor, with JSON as its content."""
    try:
        data = load_json(code.show(source))
    except (ValueError, RecursionError):
        page.losses.add(f"block {kind} that can't be read: its source is shown as code", f"[block:{kind}]")
        return f"\n\n{code.add_text(code.show(source), 'json')}\n\n"
    block = _block_text(kind, data if isinstance(data, dict) else {}, code)
    if block is None:
        page.losses.add(f"block {kind}", f"[block:{kind}]")
    return f"\n\n{block or ''}\n\n"


def _block_text(kind: str, data: Mapping[str, object], code: HiddenCode) -> str | None:
    def text(name: str) -> str:
        value = data.get(name)
        return value if isinstance(value, str) else ""

    if kind == "callout":
        return alert(ALERT_KINDS.get(text("type"), "NOTE"), text("title"), text("body"))
    if kind == "code":
        return "".join(_code_text(row, code) for row in _rows(data, "codes"))
    if kind == "image":
        return "\n\n".join(_image_text(row) for row in _rows(data, "images"))
    if kind == "embed":
        return link(text("title"), text("url"))
    if kind == "api-header":
        return f"## {text('title')}"
    if kind == "html":
        return text("html")
    return _table_text(data) if kind == "parameters" else None


def _rows(data: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    rows = data.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _code_text(row: Mapping[str, object], code: HiddenCode) -> str:
    mark = code.add_text(str(row.get("code") or ""), str(row.get("language") or ""))
    return headed_block(str(row.get("name") or ""), mark)


def _image_text(row: Mapping[str, object]) -> str:
    image = row.get("image")
    source, alt = (*image, "", "")[:2] if isinstance(image, list) else ("", "")
    caption = row.get("caption")
    return f"![{alt or ''}]({source})" + (f"\n\n{caption}" if isinstance(caption, str) and caption else "")


def _table_text(data: Mapping[str, object]) -> str:
    """A table with the cells `h-0`, `0-0`, `0-1`, …"""
    cells = data.get("data")
    columns, rows = (whole_number(str(data.get(name))) or 0 for name in ("cols", "rows"))
    if not isinstance(cells, dict):
        return ""

    def row_of(name: str | int) -> list[str]:
        texts = (str(cells.get(f"{name}-{column}") or "") for column in range(min(columns, 50)))
        return [" ".join(text.split()) for text in texts]

    return markdown_table([row_of("h"), *(row_of(number) for number in range(min(rows, 1_000)))])


READER = Reader("readme_com", "ReadMe", recognises, read)
