"""Reads GitBook: `.gitbook.yaml`, the navigation in SUMMARY.md, and blocks in `{% … %}`."""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

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
# The maximum number of files that include each other, and the maximum size of all texts in one page.
_MAX_INCLUDED_FILES = 8
_MAX_INCLUDED_CHARACTERS = 1_000_000
_OPENED = frozenset(("stepper", "columns", "column", "updates"))
_PARTS = frozenset(("step", "update"))
_BARE_LINK = re.compile(r"[ \t\n]*(?:\[([^\]\n]*)\]\(([^()\s]*)\)|(\S*))[ \t\n]*")


def recognises(files: SourceFiles) -> bool:
    paths = set(files.paths())
    return _CONFIGURATION in paths or any(posixpath.basename(path) == _SUMMARY for path in paths)


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
        path: _page(read_page(path, files.read(path), losses), root, files)
        for path in page_paths(files, root)
        if path != summary
    }
    items = read_link_list(hide_code(decode_text(summary, files.read(summary), losses))[0]) if summary else []
    entries = [_entry(item, posixpath.dirname(summary)) for item in items]
    arranged, collections = arrange(entries, pages, losses, is_declared=True)
    redirects = _redirects(configuration, root, pages)
    return Tree("gitbook", None, arranged, collections, redirects=redirects, sites=own_sites(arranged))


def _page(page: SourcePage, root: str, files: SourceFiles) -> ImportedPage:
    def transform(text: str, code: HiddenCode) -> str:
        return replace_emoji_codes(_Tags(page, files, code).plain(text, (page.path,)))

    plain = plain_page(page, transform)
    return replace(
        plain,
        address=_address(page.path, root),
        status="draft" if page.fields.is_true("hidden") else "published",
    )


def _address(path: str, root: str) -> str:
    bare = without_extension(path.removeprefix(f"{root}/"))
    return "/" + (posixpath.dirname(bare) if is_index(bare) else bare)


@dataclass(slots=True)
class _Tags:
    """Converts the tags of a page and of the texts in it, which together have a limited size."""

    page: SourcePage
    files: SourceFiles
    code: HiddenCode
    characters_left: int = _MAX_INCLUDED_CHARACTERS

    def plain(self, text: str, paths: tuple[str, ...]) -> str:
        """The text of the last one of these files, each of which includes the next one."""
        return replace_tags(text, _TAG, lambda tag: self._plain_tag(tag, paths))

    def _plain_tag(self, tag: TagUse, paths: tuple[str, ...]) -> str:
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
        return self._included(tag, paths) if tag.name == "include" else self._plain_reference(tag, body)

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

    def _included(self, tag: TagUse, paths: tuple[str, ...]) -> str:
        path = join(posixpath.dirname(paths[-1]), tag.argument("file"))
        try:
            included = read_page(path, self.files.read(path), Losses())
        except KeyError:
            self.page.losses.add(f"included file that isn't in the source: {path}", tag.source)
            return ""
        self.characters_left -= len(included.body)
        if len(paths) > _MAX_INCLUDED_FILES or self.characters_left < 0:
            self.page.losses.add(f"file {path}, because files include each other in a loop", tag.source)
            return ""
        text = self.plain(hide_into(included.body.strip(), self.code), (*paths, path)).strip()
        if len(paths) == 1:
            inclusion = Inclusion(self.page.path, path, self.code.show(text))
            self.page.losses.losses.inclusions.append(inclusion)
        return f"\n\n{text}\n\n"


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
