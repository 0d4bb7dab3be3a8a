"""Resolves links and images of Markdown files, and finds broken ones."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from instep.content.style.schemas import Style
from instep.content.style.style_checks import check_style
from instep.platform.core.markdown import HEADING_PREFIX
from instep.platform.core.page_names import comparable_path
from instep.transfer.linting.pages import SUFFIXES, LintFinding, MarkdownFile
from instep.visitors.insights.health.checks_text import TEXT_CHECKS, CheckedText
from instep.visitors.insights.health.problems import Code, run_checks

# Checks that apply to a text wherever it is published.
TEXT_CODES: set[Code] = {"empty_link", "image_without_alt", "unclosed_code", "uneven_table"}
CHECKS = [check for check in TEXT_CHECKS if check.code in TEXT_CODES]
# The address of an article in Instep.
ARTICLE = re.compile(r"/help/[^/]+/(?:[^/]+/)?articles/([^/]+)/?")
INDEX_NAMES = ("index", "README", "_index")
# Folders whose files a site serves from its root.
STATIC_FOLDERS = (".", "static", "public")


def find_problems(root: Path, files: Sequence[MarkdownFile], style: Style) -> list[LintFinding]:
    """All findings in these files of a folder, sorted by path and line."""
    checker = Checker(root, files)
    for file in files:
        checker.check(file)
        for violation in check_style(file.text, style, file.locale):
            file.find(violation.line, f"{violation.message} (Style: {violation.rule})")
    findings = [finding for file in files for finding in file.findings]
    return sorted(findings, key=lambda finding: (str(finding.path), finding.line))


class Checker:
    """Checks the files of a folder; `files` are the files that were read."""

    def __init__(self, root: Path, files: Sequence[MarkdownFile]) -> None:
        self.root = root
        self.files = {os.path.normpath(file.path): file for file in files}
        self.by_slug = {file.slug: file for file in files}

    def check(self, file: MarkdownFile) -> None:
        self.check_title(file)
        for problem in run_checks(CHECKS, CheckedText(None, file.text, file.structure)):
            file.find(problem.line, problem.message)
        for link in file.structure.links:
            self.check_link(file, link.line, link.href or "")
        for image in file.structure.images:
            if self.is_missing(file, image.src):
                file.find(image.line, f"The image {image.src} does not exist.")

    def check_title(self, file: MarkdownFile) -> None:
        has_heading = any(heading.level == 1 for heading in file.structure.headings)
        if not file.findings and not file.metadata.get("title") and not has_heading:
            file.find(1, "The page has no title: add a `title` to its front matter, or a level-1 heading.")

    def check_link(self, file: MarkdownFile, line: int, href: str) -> None:
        if self.is_missing(file, href):
            file.find(line, f"The link {href} does not lead to a file.")
            return
        fragment = unquote(urlsplit(href).fragment) if is_local(href) else ""
        target = self.page_at(file, href) if fragment else None
        if target and not {fragment, HEADING_PREFIX + fragment} & target.structure.anchors:
            name = fragment.removeprefix(HEADING_PREFIX) if target is file else fragment
            file.find(
                line, f"The heading #{name} does not exist in {os.path.relpath(target.path, self.root)}."
            )

    def is_missing(self, file: MarkdownFile, address: str) -> bool:
        return is_local(address) and path_of(address) != "" and self.find_path(file, address) is None

    def page_at(self, file: MarkdownFile, href: str) -> MarkdownFile | None:
        """The page at a link, if it is one of the checked pages."""
        if not path_of(href):
            return file
        path = self.find_path(file, href)
        return self.files.get(os.path.normpath(path)) if path else None

    def find_path(self, file: MarkdownFile, address: str) -> Path | None:
        """The file or folder at a local address.

        An article's address in Instep contains its slug. Any other absolute path is resolved in the folder if
        it begins with a name in the folder; otherwise it is an unknown page of the site, for which the folder
        is returned.
        """
        path = path_of(address)
        if article := ARTICLE.fullmatch(path):
            page = self.by_slug.get(article[1])
            return page.path if page else None
        if not path.startswith("/"):
            return existing(file.path.parent / path)
        first = path.strip("/").partition("/")[0]
        homes = [home for name in STATIC_FOLDERS if (home := self.root / name).is_dir()]
        if not any((home / first).exists() for home in homes):
            return self.root
        return next((there for home in homes if (there := existing(home / path.lstrip("/")))), None)


def is_local(address: str) -> bool:
    try:
        url = urlsplit(address)
    except ValueError:
        return False
    return not url.scheme and not url.netloc


def path_of(address: str) -> str:
    return unquote(urlsplit(address).path)


def on_disk(path: Path) -> Path | None:
    """The existing file with this name, with its accents in composed or decomposed form."""
    if path.exists() or str(path).isascii() or path == path.parent:
        return path if path.exists() else None
    folder, name = on_disk(path.parent), comparable_path(path.name)
    others = folder.iterdir() if folder is not None and folder.is_dir() else ()
    return next((other for other in others if comparable_path(other.name) == name), None)


def existing(path: Path) -> Path | None:
    """The file at a path, also without its extension; for a folder, its index page."""
    endings = [Path(f"{str(path).rstrip('/')}{suffix}") for suffix in SUFFIXES]
    pages = [path / f"{name}{suffix}" for name in INDEX_NAMES for suffix in SUFFIXES]
    try:
        return next(filter(None, map(on_disk, (*pages, path, *endings))), None)
    except (OSError, ValueError):
        # The name is too long or contains a NUL.
        return None
