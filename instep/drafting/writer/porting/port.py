"""Carries the change's own documentation edits over into the articles with the same text."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from itertools import islice

from instep.drafting.writer.articles.corpus import Corpus
from instep.drafting.writer.diffs.change_set import ChangeSet, ReviewedFile
from instep.drafting.writer.diffs.documentation import is_about_the_project
from instep.drafting.writer.facts.changed_texts import SourceLine
from instep.drafting.writer.porting.counterparts import (
    Counterpart,
    LineIndex,
    best_by_article,
    counterpart_of,
)
from instep.drafting.writer.porting.link_resolver import LinkResolver
from instep.drafting.writer.porting.locating import HunkBlock, LocatedBlock, PlaceBudget
from instep.drafting.writer.porting.pages import deleted_pages, new_pages, unquoted
from instep.drafting.writer.porting.ported_text import PortedDocumentation, PortedText, ReviewerNotice
from instep.drafting.writer.porting.raw_markup import raw_markup_warnings
from instep.drafting.writer.shapes import Article, Evidence, excerpt_of
from instep.platform.core import limits
from instep.platform.text.characters import has_hidden, remove_hidden
from instep.platform.text.patch import FilePatch

_TITLE = re.compile(r"# (?P<heading>.+)|title[ \t]*+[:=](?P<setting>.+)")
_SETTING = re.compile(r"[\w-]+[ \t]*[:=]|# |[ \t]*- |[ \t]*$|(?:---|\+\+\+)$")
_MAX_SETTING_LINES = 25
_MAX_TOLD_BLOCKS = 5
_EDITED = frozenset(("modified", "renamed", "copied"))
_NOTHING = PortedDocumentation({}, {}, (), is_documented=False)


def port_documentation(change_set: ChangeSet, corpus: Corpus) -> PortedDocumentation:
    """The edits, new pages and notices for articles that follow from the documentation in a change."""
    files = change_set.documentation
    if not files:
        return _NOTHING
    index = LineIndex((file.patch for file in files), corpus)
    counterparts = _counterparts(files, index)
    by_path = {path: counterpart.article.url for path, counterpart in counterparts.items()}
    links = LinkResolver(corpus.articles, by_path)
    weights = {file.patch.path: file.weight for file in files}
    patches = {file.patch.path: file.patch for file in files}
    texts, notices = dict[str, tuple[PortedText, ...]](), dict[str, ReviewerNotice]()
    for article_id, path in best_by_article(counterparts).items():
        counterpart = counterparts[path]
        ported = _ported_texts(counterpart, patches[path], weights[path], links)
        if ported:
            texts[article_id] = ported
        missing = [block for block in counterpart.hunks.missing if not _is_setting(block)]
        if missing:
            notices[article_id] = _notice_of_missing(path, missing)
    for article, path in deleted_pages(files, index):
        reason = f"Has the text of `{path}`, which this change deletes: check whether it is still true."
        notices.setdefault(article.id, ReviewerNotice(reason))
    folders = frozenset(posixpath.dirname(path) for path in counterparts if not is_about_the_project(path))
    pages = new_pages(files, corpus.articles, folders, links)
    return PortedDocumentation(texts, notices, pages, _is_documented(counterparts) or bool(pages))


def _counterparts(files: Sequence[ReviewedFile], index: LineIndex) -> dict[str, Counterpart]:
    """The article of each file that the change edits, by the file's path."""
    counterparts, budget = dict[str, Counterpart](), PlaceBudget()
    for file in files:
        if file.patch.status in _EDITED:
            counterpart = counterpart_of(file.patch, index, budget)
            if counterpart:
                counterparts[file.patch.path] = counterpart
    return counterparts


def _is_documented(counterparts: Mapping[str, Counterpart]) -> bool:
    """True if a manual page is edited; a change log or a README may leave much out."""
    return any(not is_about_the_project(path) for path in counterparts)


def _ported_texts(
    counterpart: Counterpart, file: FilePatch, weight: float, links: LinkResolver
) -> tuple[PortedText, ...]:
    ported = [
        text
        for block in counterpart.hunks.located
        if (text := _ported_text(block, counterpart, file, weight, links)) is not None
    ]
    titles = (_title_alone(block, counterpart.article, file, weight) for block in counterpart.hunks.missing)
    ported = [*islice(filter(None, titles), 1), *ported]
    length = len(counterpart.article.text) + sum(len(text.new) - len(text.old) for text in ported)
    return tuple(ported) if 0 < length <= limits.MAX_CONTENT_CHARACTERS else ()


def _ported_text(
    located: LocatedBlock, counterpart: Counterpart, file: FilePatch, weight: float, links: LinkResolver
) -> PortedText | None:
    """A replacement as an edit of the article; None if the article already has it."""
    article, lines, block = counterpart.article, counterpart.lines, located.block
    start, end = lines.starts[located.start], lines.starts[located.end]
    old = article.text[start:end]
    added = "\n".join(block.added)
    resolved, warnings = links.resolve(remove_hidden(added), file.path, article.text)
    new = _with_line_breaks(resolved if block.added else None, lines.newline)
    if end == len(article.text) and not lines.has_final_newline:
        new = _at_end(new, lines.newline, is_appended=start == end and bool(article.text))
    if new == old:
        return None
    if has_hidden(added.replace("\n", "").replace("\t", "")):
        warnings.append("Hidden characters were removed from the change's text.")
    if located.is_ambiguous:
        warnings.append(
            "The article has the same lines more than once: check that the edit is in the right place."
        )
    first, last = block.lines[0], block.lines[-1]
    return PortedText(
        old=old,
        new=new,
        start=start,
        end=end,
        sources=(SourceLine(file.path, first.new, _excerpt(block), weight),),
        last_line=max(first.new, last.new),
        warnings=(*raw_markup_warnings(added, article.text), *warnings),
        new_title=_new_title(block, article),
    )


def _title_alone(block: HunkBlock, article: Article, file: FilePatch, weight: float) -> PortedText | None:
    """A new title from lines that an article's text lacks, because its title is stored separately."""
    title = _new_title(block, article)
    if title is None:
        return None
    line = block.lines[0].new
    source = SourceLine(file.path, line, _excerpt(block), weight)
    return PortedText("", "", 0, 0, (source,), line, new_title=title)


def _excerpt(block: HunkBlock) -> str:
    return excerpt_of("\n".join(f"{line.mark}{line.text}" for line in block.lines))


def _with_line_breaks(text: str | None, newline: str) -> str:
    return "" if text is None else text.replace("\n", newline) + newline


def _at_end(new: str, newline: str, *, is_appended: bool) -> str:
    """Text for the end of an article whose last line has no line break."""
    bare = new.removesuffix(newline)
    return newline + bare if is_appended else bare


def _new_title(block: HunkBlock, article: Article) -> str | None:
    """The article's new title, if a replaced heading or setting contains its old one."""
    for old, new in zip(block.removed, block.added, strict=False):
        title, replacement = _title_in(old), _title_in(new)
        if title and replacement and title == article.title.strip() and replacement != title:
            return remove_hidden(replacement)[: limits.MAX_TITLE_CHARACTERS]
    return None


def _title_in(line: str) -> str | None:
    match = _TITLE.match(line)
    return unquoted((match["heading"] or match["setting"]).rstrip("# ")) if match else None


def _is_setting(block: HunkBlock) -> bool:
    """True if a replacement is in the front matter or the top title, which articles store separately."""
    changed = [*block.removed, *block.added]
    return block.old_line <= _MAX_SETTING_LINES and all(map(_SETTING.match, changed))


def _notice_of_missing(path: str, missing: Sequence[HunkBlock]) -> ReviewerNotice:
    first = missing[:_MAX_TOLD_BLOCKS]
    lines = ", ".join(str(block.lines[0].new) for block in first)
    reason = (
        f"Has different wording than `{path}` where the change edits it (line {lines}): "
        "make the same edit by hand."
    )
    evidence = (
        Evidence(path, block.lines[0].new, block.lines[-1].new, _excerpt(block), None) for block in first
    )
    return ReviewerNotice(reason, tuple(evidence))
