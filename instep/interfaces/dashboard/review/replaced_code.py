"""The code that the evidence of a draft replaced."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from instep.interfaces.dashboard.review import queries
from instep.platform.core import limits
from instep.platform.core.sandbox import TimeLimitExceeded, is_short, run_bounded
from instep.platform.identity.schemas import Ctx
from instep.platform.text.patch import InvalidDiff, Line
from instep.platform.text.patch_parser import parse_diff
from instep.platform.text.tokens import words_in

NEXT_FILE = re.compile(r"^(?=diff --git )", re.MULTILINE)
# A line of the new code: its file, its number and its text.
CodeLine = tuple[str, int, str]


async def read_replaced_code(
    ctx: Ctx, task_id: str | None, evidence: Collection[Mapping[str, Any]]
) -> dict[CodeLine, str]:
    """The replaced code for each line of the evidence, without lines that the change only adds."""
    if task_id is None or not evidence:
        return {}
    lines = {code_line(place) for place in evidence}
    diff = await queries.read_diff(ctx, task_id)
    try:
        return await run_bounded(
            replaced_code, diff, lines, seconds=limits.MAX_DIFF_SECONDS, is_small=is_short(diff)
        )
    except TimeLimitExceeded:
        return {}


def replaced_code(diff: str, lines: Collection[CodeLine]) -> dict[CodeLine, str]:
    return {line: before for line, before in replaced_lines(diff, lines) if line in lines}


def code_line(place: Mapping[str, Any]) -> CodeLine:
    return place["file"], place["start_line"], place["excerpt"].strip()


def replaced_lines(diff: str, lines: Collection[CodeLine]) -> Iterator[tuple[CodeLine, str]]:
    """The previous form of lines, for files that can be parsed at once."""
    files, numbers = {line[0] for line in lines}, {line[1] for line in lines}
    for section in NEXT_FILE.split(diff):
        if len(section) > limits.MAX_INLINE_CHARACTERS or not any(file in section for file in files):
            continue
        try:
            patches = parse_diff(section).files
        except InvalidDiff:
            # The last file of a truncated diff may end anywhere.
            continue
        for patch in patches:
            for removed, added in (block for hunk in patch.hunks for block in hunk.blocks()):
                for place, line in enumerate(added):
                    before = line_before(removed, added, place) if line.new in numbers else None
                    if before:
                        yield (patch.path, line.new, line.text.strip()), before.strip()


def line_before(removed: Sequence[Line], added: Sequence[Line], place: int) -> str | None:
    """The removed line that an added one replaced: the one in its position, or with most of its words."""
    if len(removed) == len(added):
        return removed[place].text
    words = set(words_in(added[place].text))
    best = max(removed, key=lambda line: len(words.intersection(words_in(line.text))), default=None)
    return best.text if best and words.intersection(words_in(best.text)) else None
