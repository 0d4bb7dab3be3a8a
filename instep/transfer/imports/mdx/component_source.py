"""Shared by readers of products with components: files, configuration, pages and redirects."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from instep.transfer.imports.javascript.js_values import JsCall, JsUnknown, JsValue, at, js_array, js_text
from instep.transfer.imports.javascript.modules import Configuration
from instep.transfer.imports.mdx.included_files import is_partial
from instep.transfer.imports.mdx.pages import ComponentPage
from instep.transfer.imports.tree.file_names import is_page, with_ending
from instep.transfer.imports.tree.json_values import load_json
from instep.transfer.imports.tree.schemas import (
    ImportedPage,
    ImportedRedirect,
    Losses,
    SourceFiles,
    UnreadableSource,
    read_text,
    without_file,
)

_PAGE_ENDINGS = (".mdx", ".md", "/index.mdx", "/index.md")
_BASE_PATH = re.compile(r"\bbasePath:\s*[\"'`](/[^\"'`\s]+)")
_ORIGIN = re.compile(r"^https?://[^/]*")
_PATTERN = re.compile(r"[:*(]")
# The end of a pattern that matches the rest of a path, as in Mintlify, Netlify, Vercel and Next.js.
_REST = re.compile(r"/(?::\w+(?:[*+]|\([^()/]*\))?|\*|\(\.\*\)|\$1)$")
# The maximum number of segments in the rest if a redirect leads from all paths to one address.
_MAX_REST_SEGMENTS = 3


class ComponentSource:
    """The files of one source for a reader; `root` is the folder of the site.

    `prefix` is the prefix of paths in that folder; `redirects` are those added so far.
    """

    def __init__(self, files: SourceFiles, losses: Losses, root: str) -> None:
        self.files, self.losses = files, losses
        self.root, self.prefix = root, f"{root}/" if root else ""
        self.configuration = Configuration(files)
        self.redirects: list[ImportedRedirect] = []

    @property
    def paths(self) -> frozenset[str]:
        return self.configuration.paths

    def join(self, *parts: str) -> str:
        """A path relative to the site's folder as a path from the root of the source."""
        path = posixpath.normpath(posixpath.join(self.root, *parts))
        return "" if path == "." else path

    def page_at(self, stem: str, endings: Iterable[str] = _PAGE_ENDINGS) -> str | None:
        """The path of a page without its extension, or of the first page of a folder."""
        return with_ending(stem, endings, self.paths)

    def pages_below(self, folder: str) -> list[str]:
        """The paths of Markdown files in a folder ("" for the root), sorted, without partials."""
        prefix = f"{folder}/" if folder else ""
        paths = (path for path in self.paths if path.startswith(prefix) and is_page(path))
        return sorted(path for path in paths if not is_partial(path[len(prefix) :]))

    def exported(self, path: str) -> JsValue:
        """The exported value of a configuration file; a JSON file must be an object."""
        return read_object(self.files, path) if path.endswith(".json") else self.configuration.exported(path)

    def report_unknown(self, value: JsValue) -> None:
        """Report each part of a setting that is computed by a program."""
        for unknown in _unknown_parts(value):
            self.losses.add(
                unknown.path, f"setting that is computed by a program: {unknown.text}", unknown.line
            )

    def add_redirect(self, path: str, sources: JsValue, target: JsValue) -> None:
        """Add redirects from one or several addresses; one with an unsupported pattern is a loss."""
        addresses = [js_text(source) for source in js_array(sources)] or [js_text(sources)]
        for address in filter(None, addresses):
            rows = _redirects_from(address, js_text(target))
            if not rows:
                what = "only redirects of one path, or of everything below a path, are kept"
                self.losses.add(path, f"redirect from {address}: {what}")
            self.redirects += rows

    def add_redirects(self, path: str, rows: JsValue, source: str, target: str) -> None:
        """Add redirects that are objects with their addresses in the fields `source` and `target`."""
        for row in js_array(rows):
            self.add_redirect(path, at(row, source), at(row, target))

    def add_hosting_redirects(self, *static_folders: str) -> None:
        """Add the redirects in `_redirects` and `vercel.json`, files of static-site hosts."""
        for folder in dict.fromkeys((self.root, *static_folders)):
            if (path := posixpath.join(folder, "_redirects")) in self.paths:
                for words in map(str.split, read_text(self.files, path).split("\n")):
                    is_redirect = len(words) > 1 and not words[0].startswith("#")
                    if is_redirect and "404" not in words[2:]:
                        self.add_redirect(path, words[0], words[1])
            if (path := posixpath.join(folder, "vercel.json")) in self.paths:
                rows = read_object(self.files, path).get("redirects")
                self.add_redirects(path, rows, "source", "destination")

    def base_paths(self) -> tuple[str, ...]:
        """The base path of the site in `next.config`, if there is one."""
        names = ("next.config.js", "next.config.mjs", "next.config.ts", "next.config.cjs")
        paths = (path for name in names if (path := posixpath.join(self.root, name)) in self.paths)
        matches = (_BASE_PATH.search(read_text(self.files, path)) for path in paths)
        return tuple(match[1].rstrip("/") for match in matches if match)


def _redirects_from(address: str, target: str) -> list[ImportedRedirect]:
    """The redirects from an address, or from everything below one; empty for unsupported patterns."""
    source, destination = _REST.sub("", address), _REST.sub("", target)
    paths = [_ORIGIN.sub("", text).partition("#")[0] for text in (source, destination)]
    is_led_on = source != address
    if (
        not source
        or not target
        or any(map(_PATTERN.search, paths))
        or (destination != target and not is_led_on)
    ):
        return []
    if not is_led_on:
        return [ImportedRedirect(address, target)]
    if destination != target:
        return [ImportedRedirect(f"{source}/*", f"{destination}/*")]
    return [ImportedRedirect(source + "/*" * count, target) for count in range(_MAX_REST_SEGMENTS + 1)]


def read_object(files: SourceFiles, path: str) -> dict[str, JsValue]:
    """The object in a JSON file; raises `UnreadableSource` if there is none."""
    try:
        value: JsValue = load_json(files.read(path).decode("utf-8-sig"))
    except RecursionError:
        raise UnreadableSource(f"{path} is nested too deeply: simplify it and import again.") from None
    except ValueError as error:
        raise UnreadableSource(f"{path} is not valid JSON ({error}): fix it and import again.") from None
    if not isinstance(value, dict):
        raise UnreadableSource(f"{path} must contain a JSON object: fix it and import again.")
    return value


def shallowest(paths: Iterable[str], pattern: re.Pattern[str]) -> str | None:
    """The path nearest to the root that matches a pattern."""
    found_paths = (path for path in paths if pattern.search(path) and "node_modules/" not in path)
    return min(found_paths, key=lambda path: (path.count("/"), path), default=None)


def configuration_path(files: SourceFiles, pattern: re.Pattern[str], usual_name: str) -> str:
    """The path of the configuration that is nearest to the root; raises `UnreadableSource` without one."""
    path = shallowest(files.paths(), pattern)
    if path is None:
        raise without_file(usual_name)
    return path


def imported_page(
    page: ComponentPage,
    address: str,
    locale: str | None,
    former_addresses: tuple[str, ...] = (),
    translation_of: str | None = None,
) -> ImportedPage:
    return replace(
        page.imported,
        locale=locale,
        address=address,
        former_addresses=former_addresses,
        translation_of=translation_of,
    )


def language_of(locale: str) -> str:
    """The locale without the region if that is the language's main one, such as "en" for "en-US"."""
    return locale.partition("-")[0] if locale.lower() in ("en-us", "en-gb") else locale


def absolute(*parts: str) -> str:
    """The absolute path with these parts, without a trailing slash."""
    address = posixpath.normpath("/" + "/".join(part.strip("/") for part in parts if part.strip("/")))
    return address.replace("//", "/")


def without_index(stem: str, names: str = "index") -> str:
    """The address of a file without the name of an index file; `names` are separated by `|`."""
    return re.sub(rf"(^|/)(?:{names})$", "", stem, flags=re.IGNORECASE)


def _unknown_parts(value: JsValue) -> Iterator[JsUnknown]:
    if isinstance(value, JsUnknown):
        yield value
    elif isinstance(value, JsCall):
        yield JsUnknown(value.text.split("\n")[0][:60], value.path, value.line)
    elif isinstance(value, (list, dict)):
        for inner in value if isinstance(value, list) else value.values():
            yield from _unknown_parts(inner)
