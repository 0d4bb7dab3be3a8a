"""GitBook: `.gitbook.yaml`, the navigation in SUMMARY.md, and its blocks between `{% … %}`."""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import replace

from instep.transfer.imports.html.markdown_links import link
from instep.transfer.imports.markdown.block_tags import TagUse, replace_tags
from instep.transfer.imports.markdown.callouts import alert
from instep.transfer.imports.markdown.emoji_codes import replace_emoji_codes
from instep.transfer.imports.markdown.fields import Fields, read_yaml_fields
from instep.transfer.imports.markdown.hidden_code import HiddenCode, hide_code
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
    Losses,
    Reader,
    SourceFiles,
    Tree,
    UnreadableSource,
)

_CONFIGURATION, _SUMMARY = ".gitbook.yaml", "SUMMARY.md"
_TAG = re.compile(
    r"\{%-?[ \t]*(?P<end>end)?(?P<name>[\w-]+)(?P<arguments>(?:[^%\"]|\"[^\"]*\"|%(?!\}))*?)"
    r"(?P<alone>/)?[ \t]*-?%\}"
)
_INCLUDE = "include"
_OPENED = frozenset(("tabs", "stepper", "columns", "column", "updates"))
_PARTS = frozenset(("tab", "step", "update"))
_BARE_LINK = re.compile(r"[ \t\n]*(?:\[([^\]\n]*)\]\(([^()\s]*)\)|(\S*))[ \t\n]*")


def recognises(files: SourceFiles) -> bool:
    paths = set(files.paths())
    return _CONFIGURATION in paths or any(posixpath.basename(path) == _SUMMARY for path in paths)


def read(files: SourceFiles) -> Tree:
    losses = Losses()
    configuration = _read_configuration(files)
    root = join(configuration.text("root"), "")
    summary = join(root, configuration.fields("structure").text("summary") or _SUMMARY)
    if summary not in set(files.paths()):
        summary = next(
            (path for path in sorted(files.paths(), key=len) if posixpath.basename(path) == _SUMMARY), ""
        )
        root = posixpath.dirname(summary) if not configuration.text("root") else root
    paths = [path for path in page_paths(files, root) if path != summary]
    pages = {path: _page(read_page(path, files.read(path), losses), root, files) for path in paths}
    items = read_link_list(hide_code(decode_text(summary, files.read(summary), losses))[0]) if summary else []
    collections, arranged = arrange(
        [_entry(item, posixpath.dirname(summary)) for item in items], pages, losses
    )
    return Tree(
        "gitbook",
        None,
        arranged,
        collections,
        redirects=_redirects(configuration, root, pages),
        sites=own_sites(arranged),
        losses=tuple(losses.rows),
    )


def _read_configuration(files: SourceFiles) -> Fields:
    try:
        return read_yaml_fields(files.read(_CONFIGURATION).decode("utf-8-sig", errors="replace"))
    except KeyError:
        return Fields()
    except ValueError as error:
        raise UnreadableSource(
            f"{_CONFIGURATION} is not valid YAML: {error}. Correct it and import again."
        ) from None


def _page(page: SourcePage, root: str, files: SourceFiles) -> ImportedPage:
    def transform(text: str, code: HiddenCode) -> str:
        return replace_emoji_codes(replace_tags(text, _TAG, lambda tag: _plain_tag(tag, page, files)))

    plain = plain_page(page, transform)
    return replace(
        plain,
        address=_address(page.path, root),
        status="draft" if page.fields.is_true("hidden") else "published",
    )


def _address(path: str, root: str) -> str:
    bare = without_extension(path.removeprefix(f"{root}/"))
    return "/" + (posixpath.dirname(bare) if is_index(bare) else bare)


def _plain_tag(tag: TagUse, page: SourcePage, files: SourceFiles) -> str:
    body = (tag.body or "").strip("\n")
    if tag.name == "hint":
        return f"\n\n{alert(tag.argument('style') or 'info', '', body.strip())}\n\n"
    if tag.name in _PARTS:
        return headed_block(tag.argument("title") or tag.named.get("date", ""), body)
    if tag.name in _OPENED:
        return f"\n\n{body}\n\n"
    if tag.name == "code":
        title = tag.argument("title")
        return headed_block(title, body) if title else f"\n{body}\n"
    return _plain_reference(tag, body, page, files)


def _plain_reference(tag: TagUse, body: str, page: SourcePage, files: SourceFiles) -> str:
    """Tags that show something from elsewhere, as links to it; the words in any other tag stay."""
    target = next((tag.named[name] for name in ("url", "page", "src") if name in tag.named), "")
    if tag.name in ("content-ref", "page-ref", "embed", "file", "openapi"):
        bare = _BARE_LINK.fullmatch(body)
        words = (bare[1] or bare[3] or "") if bare else " ".join(body.split())
        return (
            f"\n\n{link(words or tag.named.get('caption', '') or _name(target), target)}\n\n"
            if target
            else body
        )
    if tag.name == _INCLUDE:
        return _included(tag, page, files)
    if tag.name not in ("raw", "capture"):
        page.losses.add(f"tag {{% {tag.name} %}}, whose words stay", tag.source)
    return body


def _included(tag: TagUse, page: SourcePage, files: SourceFiles) -> str:
    path = join(posixpath.dirname(page.path), tag.argument("file"))
    try:
        text = files.read(path).decode("utf-8-sig", errors="replace")
    except KeyError:
        page.losses.add(f"included file that is not in the folder: {path}", tag.source)
        return ""
    # Included text has no includes of its own in GitBook, and its code stays code in the page.
    included = read_page(path, text.encode(), Losses())
    return f"\n\n{included.body.strip()}\n\n"


def _name(target: str) -> str:
    return posixpath.basename(target.rstrip("/"))


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
