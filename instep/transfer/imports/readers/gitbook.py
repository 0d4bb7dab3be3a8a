"""Reads GitBook: `.gitbook.yaml`, the navigation in SUMMARY.md, and blocks in `{% … %}`."""

import posixpath
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from instep.platform.text.comments import without_comments
from instep.transfer.imports.html.block_tags import TagUse, replace_tags
from instep.transfer.imports.html.markdown_links import link
from instep.transfer.imports.markdown.callouts import alert
from instep.transfer.imports.markdown.emoji_codes import replace_emoji_codes
from instep.transfer.imports.markdown.fields import Fields, read_settings
from instep.transfer.imports.markdown.grouping import tab, tabs
from instep.transfer.imports.markdown.hidden_code import HiddenCode, hide_code, hide_into
from instep.transfer.imports.markdown.link_lists import LinkItem, read_link_list
from instep.transfer.imports.markdown.plain_pages import headed_block, plain_page
from instep.transfer.imports.markdown.source_pages import SourcePage, decode_text, read_page
from instep.transfer.imports.tree.file_names import without_extension
from instep.transfer.imports.tree.folders import is_index, join, page_paths
from instep.transfer.imports.tree.navigation import Entry, arrange
from instep.transfer.imports.tree.own_sites import own_sites
from instep.transfer.imports.tree.schemas import (
    ImportedPage,
    ImportedRedirect,
    Inclusion,
    Losses,
    Reader,
    SourceFiles,
    Tree,
)

_CONFIGURATION, _SUMMARY = ".gitbook.yaml", "SUMMARY.md"
_TAG = re.compile(
    r"\{%-?[ \t]*(?P<end>end)?(?P<name>[\w-]+)(?P<arguments>(?:[^%\"]|\"[^\"]*\"|%(?!\}))*?)"
    r"(?P<alone>/)?[ \t]*-?%\}"
)
# The maximum number of files that include each other, and the maximum size of all these files in one page.
_MAX_INCLUDED_FILES = 8
_MAX_INCLUDED_BYTES = 1_000_000
_OPENED = frozenset(("stepper", "columns", "column", "updates"))
_PARTS = frozenset(("step", "update"))
_BARE_LINK = re.compile(r"[ \t\n]*(?:\[([^\]\n]*)\]\(([^()\s]*)\)|(\S*))[ \t\n]*")


def recognises(files: SourceFiles) -> bool:
    return is_declared(files) or any(posixpath.basename(path) == _SUMMARY for path in files.paths())


def is_declared(files: SourceFiles) -> bool:
    """True if the root of a source states that it is a GitBook."""
    return not {_CONFIGURATION, _SUMMARY}.isdisjoint(files.paths())


def read(files: SourceFiles, losses: Losses) -> Tree:
    paths = set(files.paths())
    configuration = read_settings(files, _CONFIGURATION) if _CONFIGURATION in paths else Fields()
    root = join(configuration.text("root"), "")
    summary = join(root, configuration.fields("structure").text("summary") or _SUMMARY)
    if summary not in paths:
        names = (path for path in files.paths() if posixpath.basename(path) == _SUMMARY)
        summary = min(names, key=len, default="")
        root = posixpath.dirname(summary) if not configuration.text("root") else root
    pages = {
        path: _page(read_page(path, files.read(path), losses), root, files, paths)
        for path in page_paths(files, root)
        if path != summary
    }
    items = read_link_list(hide_code(decode_text(summary, files.read(summary), losses))[0]) if summary else []
    entries = [_entry(item, posixpath.dirname(summary)) for item in items]
    arranged, collections = arrange(entries, pages, losses, is_declared=True)
    redirects = _redirects(configuration, root, pages)
    return Tree("gitbook", None, arranged, collections, redirects=redirects, sites=own_sites(arranged))


def _page(page: SourcePage, root: str, files: SourceFiles, paths: Collection[str]) -> ImportedPage:
    def transform(text: str, code: HiddenCode) -> str:
        return replace_emoji_codes(_Tags(page, files, paths, code).plain(text, (page.path,)))

    plain = plain_page(page, transform)
    return replace(
        plain,
        address=_address(page.path, root),
        status="draft" if page.fields.is_true("hidden") else plain.status,
    )


def _address(path: str, root: str) -> str:
    bare = without_extension(path.removeprefix(f"{root}/"))
    return "/" + (posixpath.dirname(bare) if is_index(bare) else bare)


@dataclass(slots=True)
class _Tags:
    """Converts the tags of a page and of the texts in it, which together have a limited size."""

    page: SourcePage
    files: SourceFiles
    paths: Collection[str]
    code: HiddenCode
    bytes_left: int = _MAX_INCLUDED_BYTES

    def plain(self, text: str, hosts: tuple[str, ...], *, is_seen: bool = True) -> str:
        """The text of the last one of these files, each of which includes the next one.

        `is_seen` is false for a text in a comment.
        """
        seen = {tag[0] for tag in _TAG.finditer(without_comments(text))} if is_seen else set[str]()
        return replace_tags(text, _TAG, lambda tag: self._plain_tag(tag, hosts, tag.source in seen))

    def _plain_tag(self, tag: TagUse, hosts: tuple[str, ...], is_seen: bool) -> str:
        body = (tag.body or "").strip("\n")
        if tag.name == "hint":
            return f"\n\n{alert(tag.argument('style') or 'info', '', body.strip())}\n\n"
        if tag.name == "tab":
            return tab(tag.argument("title"), body)
        if tag.name == "tabs":
            return f"\n\n{tabs(body)}\n\n"
        if tag.name in _PARTS:
            return headed_block(tag.argument("title") or tag.named.get("date", ""), body)
        if tag.name in _OPENED:
            return f"\n\n{body}\n\n"
        if tag.name == "code":
            title = tag.argument("title")
            return headed_block(title, body) if title else f"\n{body}\n"
        if tag.name == "include":
            return self._included(tag, hosts, is_seen)
        return self._plain_reference(tag, body)

    def _plain_reference(self, tag: TagUse, body: str) -> str:
        """Turn references to other content into links; any other tag is reduced to its text."""
        target = next((tag.named[name] for name in ("url", "page", "src") if name in tag.named), "")
        if tag.name in ("content-ref", "page-ref", "embed", "file", "openapi"):
            bare = _BARE_LINK.fullmatch(body)
            words = (bare[1] or bare[3] or "") if bare else " ".join(body.split())
            words = words or tag.named.get("caption", "") or posixpath.basename(target.rstrip("/"))
            return f"\n\n{link(words, target)}\n\n" if target else body
        if tag.name not in ("raw", "capture"):
            self.page.losses.add(f"tag {{% {tag.name} %}}, reduced to its text", tag.source)
        return body

    def _included(self, tag: TagUse, hosts: tuple[str, ...], is_seen: bool) -> str:
        path = join(posixpath.dirname(hosts[-1]), tag.argument("file"))
        if path not in self.paths:
            self.page.losses.add(f"included file that isn't in the source: {path}", tag.source)
            return ""
        content = self._content(path, len(hosts))
        if content is None:
            self.page.losses.add_refusal(path, tag.source)
            return ""
        inner = hide_into(read_page(path, content, Losses()).body.strip(), self.code)
        text = self.plain(inner, (*hosts, path), is_seen=is_seen).strip()
        losses = self.page.losses.losses
        if is_seen:
            losses.files_of_page[self.page.path].add(path)
        if is_seen and len(hosts) == 1:
            losses.inclusions.append(Inclusion(self.page.path, path, self.code.show(text)))
        return f"\n\n{text}\n\n"

    def _content(self, path: str, depth: int) -> bytes | None:
        """The bytes of a file; None if the page includes too much."""
        if depth > _MAX_INCLUDED_FILES or self.bytes_left <= 0:
            return None
        content = self.files.read(path)
        # Each file costs something, so that empty ones end too.
        self.bytes_left -= len(content) + 1
        return content if self.bytes_left >= 0 else None


def _entry(item: LinkItem, folder: str) -> Entry:
    path = item.target.partition("#")[0]
    page = join(folder, path) if path and "://" not in path else None
    return Entry(item.title, page, [_entry(child, folder) for child in item.items])


def _redirects(
    configuration: Fields, root: str, pages: Mapping[str, ImportedPage]
) -> tuple[ImportedRedirect, ...]:
    rows = []
    for source, target in configuration.fields("redirects").values.items():
        if isinstance(target, str) and target:
            page = pages.get(join(root, target))
            address = (page.address if page else None) or (
                target if "://" in target else _address(join(root, target), root)
            )
            rows.append(ImportedRedirect(f"/{source.strip('/')}", address))
    return tuple(rows)


READER = Reader("gitbook", "GitBook", recognises, read)
