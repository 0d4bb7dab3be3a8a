"""A change as a model reads it: the most user-facing lines in full, the rest shortened or counted."""

from collections.abc import Iterable, Iterator, Sequence

from instep.drafting.writer.diffs.change_set import ChangeSet, ReviewedFile
from instep.drafting.writer.shapes import CodeExcerpt
from instep.platform.text.patch import Hunk, Line

_MAX_LINE_CHARACTERS = 500
_CONTEXT_LINES = 3
# If there is no room, a longer run of added or removed lines is shortened to this many lines.
_LONG_RUN, _KEPT_OF_RUN = 40, 25
_COUNTED_KINDS = frozenset(("test", "internal"))


def diff_text(change_set: ChangeSet, max_bytes: int) -> str:
    """The diff, the most user-facing files first, in at most about `max_bytes` of UTF-8.

    Tests, lock files and generated files are only counted. If the diff is too long, it first loses the
    context lines, then the ends of long runs, then whole files, which are counted too.
    """
    files = noticed_files(change_set)
    ends = [count_of(file) for file in change_set.files if file not in files]
    ends += [f"({path}: {kind})" for path, kind in change_set.skipped]
    if change_set.skipped_for_size:
        ends.append(f"({change_set.skipped_for_size} more files, too large to read)")
    room = max_bytes - size_of(ends[:_LONG_RUN])
    if len(ends) > _LONG_RUN:
        ends = [*ends[:_LONG_RUN], f"(and {len(ends) - _LONG_RUN} more files)"]
    for context, longest_run in ((_CONTEXT_LINES, 0), (0, 0), (0, _LONG_RUN)):
        texts = ["\n".join(_file_lines(file, context, longest_run)) for file in files]
        if size_of(texts) <= room:
            return "\n".join([*texts, *ends])
    return "\n".join([*_fitting(files, texts, room), *ends])


def code_text(change_set: ChangeSet, excerpts: Sequence[CodeExcerpt], max_bytes: int) -> str:
    """The code around the hunks of files that users may notice, in their order, as much as fits."""
    texts, room = list[str](), max_bytes
    for file in noticed_files(change_set):
        for row in excerpts:
            lines = [f"{row.file}, from line {row.start_line}:", row.text, ""]
            if row.file == file.patch.new_path and size_of(lines) <= room:
                room -= size_of(lines)
                texts += lines
    return "\n".join(texts)


def noticed_files(change_set: ChangeSet) -> list[ReviewedFile]:
    """The files that users may notice, or all files if there are none."""
    return [file for file in change_set.files if file.kind not in _COUNTED_KINDS] or list(change_set.files)


def _fitting(files: Sequence[ReviewedFile], texts: Sequence[str], max_bytes: int) -> Iterator[str]:
    """The texts of the files while there is room, and a count for each other file."""
    room = max_bytes - size_of([count_of(file) for file in files])
    for file, text in zip(files, texts, strict=True):
        size = size_of([text])
        if size <= room:
            room -= size
            yield text
        else:
            yield count_of(file)


def count_of(file: ReviewedFile) -> str:
    """The line that stands for a file in a diff that is too long: its path and how much has changed."""
    marks = [line.mark for line in file.patch.lines()]
    return f"({file.patch.path}: {marks.count('+')} lines added, {marks.count('-')} removed; not shown)"


def _file_lines(file: ReviewedFile, context: int, longest_run: int) -> Iterator[str]:
    yield f"--- {file.patch.old_path}"
    yield f"+++ {file.patch.new_path}"
    for hunk in file.patch.hunks:
        yield f"@@ {hunk.section}"
        yield from _hunk_lines(hunk, context, longest_run)


def _hunk_lines(hunk: Hunk, context: int, longest_run: int) -> Iterator[str]:
    changed = [index for index, line in enumerate(hunk.lines) if line.mark != " "]
    neighbor = {at for index in changed for at in range(index - context, index + context + 1)}
    run, mark = 0, ""
    for index, line in enumerate(hunk.lines):
        run = run + 1 if line.mark == mark else 1
        mark = line.mark
        if mark == " " and index not in neighbor:
            continue
        if mark != " " and longest_run and _is_cut(hunk.lines, index, run, longest_run):
            if run == _KEPT_OF_RUN + 1:
                yield "[more lines of this kind are not shown]"
            continue
        yield mark + line.text[:_MAX_LINE_CHARACTERS]


def _is_cut(lines: Sequence[Line], index: int, run: int, longest_run: int) -> bool:
    first = lines[index - run + 1 : index - run + 1 + longest_run]
    return run > _KEPT_OF_RUN and len(first) == longest_run and len({line.mark for line in first}) == 1


def size_of(texts: Iterable[str]) -> int:
    """The bytes of some lines in UTF-8."""
    return sum(len(text.encode("utf-8", "replace")) + 1 for text in texts)
