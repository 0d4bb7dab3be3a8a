"""Data for a prompt, cut to size: the diff, and the parts of an article that bear on a change."""

from collections.abc import Iterable, Iterator, Sequence

from instep.writer.articles.headings import headings_of
from instep.writer.diffs.change_set import ChangeSet
from instep.writer.facts.additions import Addition
from instep.writer.words.change_terms import change_terms

# What stands in place of what a prompt has no room for.
ELLIPSIS = "[cut]"
_MAX_LINE_CHARACTERS = 500


def diff_excerpt(change_set: ChangeSet, max_bytes: int) -> str:
    """The changed files as a diff, those that users notice first at the top, up to a size."""
    lines, size = list[str](), 0
    for line in _diff_lines(change_set):
        size += _line_bytes(line)
        if size > max_bytes:
            return "\n".join([*lines, ELLIPSIS])
        lines.append(line)
    return "\n".join(lines)


def facts_excerpt(additions: Sequence[Addition], max_bytes: int) -> str:
    """The lines that bring in new names, up to a size."""
    lines, size = list[str](), 0
    for addition in additions:
        source = addition.source
        line = f"{source.file}:{source.line}: {addition.name}"[:_MAX_LINE_CHARACTERS]
        size += _line_bytes(line)
        if size > max_bytes:
            break
        lines.append(line)
    return "\n".join(lines)


def _diff_lines(change_set: ChangeSet) -> Iterator[str]:
    for read_file in change_set.files:
        yield f"--- {read_file.patch.old_path}"
        yield f"+++ {read_file.patch.new_path}"
        for hunk in read_file.patch.hunks:
            yield f"@@ {hunk.section}"
            yield from (line.mark + line.text[:_MAX_LINE_CHARACTERS] for line in hunk.lines)


def article_excerpt(text: str, terms: Iterable[str], max_bytes: int) -> str:
    """A short text whole; the sections of a longer one that hold most of the terms, in their order."""
    if _line_bytes(text) <= max_bytes:
        return text
    query = frozenset(terms)
    starts = sorted({0, *(heading.start for heading in headings_of(text))})
    sections = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    best_first = sorted(
        range(len(sections)), key=lambda index: (-len(query & change_terms(sections[index]).keys()), index)
    )
    chosen, size = set[int](), 0
    for index in best_first:
        section_bytes = _line_bytes(sections[index]) + _line_bytes(f"{ELLIPSIS}\n")
        if size + section_bytes + _line_bytes(ELLIPSIS) <= max_bytes:
            chosen.add(index)
            size += section_bytes
    if not chosen:
        return _cut(text, max_bytes)
    excerpt = "".join(
        sections[index] if index - 1 in chosen or index == 0 else f"{ELLIPSIS}\n{sections[index]}"
        for index in sorted(chosen)
    )
    return excerpt + ("" if len(sections) - 1 in chosen else ELLIPSIS)


def cut_to_bytes(text: str, max_bytes: int) -> str:
    """The text, or its beginning with an ellipsis."""
    if _line_bytes(text) <= max_bytes:
        return text
    return _cut(text, max_bytes - _line_bytes(ELLIPSIS)) + ELLIPSIS


def _cut(text: str, max_bytes: int) -> str:
    return text.encode("utf-8", "replace")[: max(0, max_bytes)].decode("utf-8", "ignore")


def _line_bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace")) + 1
