"""Links inside a help center, in two notations: addresses of its pages, and paths from file to file.

Only destinations are rewritten: in the Markdown of links, images and link definitions, and in HTML
attributes. All other bytes, the number of lines and code stay unchanged.
"""

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from instep.content.articles.paths import path_of_article
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.markdown import HEADING_PREFIX
from instep.platform.core.page_names import comparable_path
from instep.platform.identity.schemas import Bot
from instep.platform.text.blocks import read_blocks

LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)[^\r\n]*?(?<!`)\1(?!`)")
# A destination (CommonMark 0.31, sections 4.7 and 6.3) or the value of an attribute, with its prefix.
DESTINATION = re.compile(
    r"""(?P<before>\]\([ \t]*|^[ \t>]*\[[^\]\r\n]+\]:[ \t]*|\b(?:href|src)[ \t]*=[ \t]*)"""
    r"""(?P<target><[^<>\r\n]*>|"[^"\r\n]*"|'[^'\r\n]*'|[^\s()<>"']+(?:\([^\s()<>]*\)[^\s()<>"']*)*)"""
)
# Characters that end the path of an address or of a link to a file.
END_OF_PATH = re.compile(r"[?#]")
# Characters that a destination without brackets can't contain, or that are special in a URL.
UNSAFE = re.compile(r"[\x00-\x20\x7f()<>\"'`%?#\\\[\]]")
VERSION = re.compile(r"(/help/[^/]+)/versions/([^/]+)(.*)")
Convert = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class SiteMap:
    """The file for each address of a help center.

    `paths` leads from addresses below the root of the installation, without trailing slash, such as
    `/help/acme/articles/install`, to paths of files below the root of the folder; `addresses` leads back.
    `versions` leads from the slug of a version of the product, and from the file that an address has without
    a version, to the file that is shown there instead; without one, the address in the version has no file.
    """

    paths: dict[str, str] = field(default_factory=dict)
    addresses: dict[str, str] = field(default_factory=dict)
    versions: dict[str, dict[str, str]] = field(default_factory=dict)

    def add(self, path: str, address: str, *former_addresses: str) -> None:
        """Map a file to the address that links to it get, and the page's former addresses to the file."""
        self.addresses[comparable_path(path)] = address
        for name in (*former_addresses, address):
            self.paths[name] = path

    def path_of(self, address: str) -> str | None:
        """The file at an address, with or without the site's own host."""
        below = address.removeprefix(settings().base_url)
        if not below.startswith("/"):
            return None
        name = unquote(below).rstrip("/")
        in_version = VERSION.fullmatch(name)
        if in_version is None:
            return self.paths.get(name)
        home, version, rest = in_version.groups()
        return self.versions.get(version, {}).get(self.paths.get(home + rest, ""))


def article_address(bot: Bot, locale: str, slug: str) -> str:
    """The address of an article, as links in texts name it."""
    return f"/help/{bot.slug}" + path_of_article(bot.locale, locale, slug)


def to_paths(text: str, path: str, site: SiteMap, origin: str = "") -> str:
    """The text of the file at `path`, with relative paths instead of addresses that have a file.

    If `origin` is given, all other addresses of the installation become full URLs, which work from anywhere.
    """

    def convert(target: str) -> str | None:
        address, rest = split_target(target)
        known_path = site.path_of(address)
        if known_path is not None:
            # Git hosts give headings the same ids, but without our prefix.
            return relative_path(path, known_path) + rest.replace(f"#{HEADING_PREFIX}", "#", 1)
        return origin + target if origin and target.startswith(("/help/", "/files/")) else None

    return rewrite(text, convert) if "/help/" in text or "/files/" in text else text


def to_addresses(text: str, path: str, addresses: Mapping[str, str]) -> str:
    """The text of the file at `path`, with relative paths to known files replaced by addresses."""

    def convert(target: str) -> str | None:
        below, rest = split_target(target)
        address = addresses.get(path_of_target(path, below) or "")
        return escape(address) + rest if address is not None else None

    return rewrite(text, convert)


def rewrite(text: str, convert: Convert) -> str:
    """The text with converted destinations; those for which `convert` returns None stay unchanged."""
    if "](" not in text and "]:" not in text and "=" not in text:
        return text
    # The last match is the empty one at the end.
    lines = LINE.findall(text)[:-1]
    code = code_lines(text)
    return "".join(
        line if number in code else rewrite_line(line, convert) for number, line in enumerate(lines, 1)
    )


def code_lines(text: str) -> frozenset[int]:
    """The numbers, from 1, of the lines that belong to blocks of code."""
    if "```" not in text and "~~~" not in text and "    " not in text and "\t" not in text:
        return frozenset()
    blocks = [block for block in read_blocks(text).blocks if block.kind == "code"]
    return frozenset(line for block in blocks for line in range(block.first_line, block.last_line + 1))


def rewrite_line(line: str, convert: Convert) -> str:
    may_have_code = "`" in line and len(line) <= limits.INLINE_LINE_CHARACTERS
    spans = [match.span() for match in CODE_SPAN.finditer(line)] if may_have_code else []

    def replace(match: re.Match[str]) -> str:
        if any(start <= match.start("target") < end for start, end in spans):
            return match[0]
        return match["before"] + rewritten(match["target"], convert)

    return DESTINATION.sub(replace, line)


def rewritten(target: str, convert: Convert) -> str:
    """A destination in the brackets or quotes of the original one."""
    is_enclosed = target[0] in "<\"'" and len(target) > 1
    inner = target[1:-1] if is_enclosed else target
    new = convert(inner)
    if new is None or new == inner:
        return target
    return f"{target[0]}{new}{target[-1]}" if is_enclosed else new


def split_target(target: str) -> tuple[str, str]:
    """The path of a destination, and its query and fragment."""
    match = END_OF_PATH.search(target)
    return (target[: match.start()], target[match.start() :]) if match else (target, "")


def relative_targets(text: str, path: str) -> set[str]:
    """The files that the text of the file at `path` references by relative paths."""
    targets: set[str] = set()

    def note(target: str) -> None:
        known_path = path_of_target(path, split_target(target)[0])
        if known_path is not None:
            targets.add(known_path)

    rewrite(text, note)
    return targets


def paths_in(texts: Iterable[tuple[str, str]]) -> set[str]:
    """The files that these texts, each with its path, reference by relative paths."""
    return {target for text, path in texts for target in relative_targets(text, path)}


def path_of_target(path: str, target: str) -> str | None:
    """The comparable path of a relative destination in the file at `path`; None outside the folder."""
    if not target or target.startswith("/") or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", target):
        return None
    joined = comparable_path(posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(target))))
    return None if joined.startswith("../") else joined


def relative_path(path: str, target: str) -> str:
    """The relative path from the file at `path` to another file."""
    return escape(posixpath.relpath(target, posixpath.dirname(path) or "."))


def escape(text: str) -> str:
    """A path with the characters that end a destination escaped; letters of all scripts stay readable."""
    return UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", text)
