"""Maps the source's ids of headings to the ids that our renderer generates."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from instep.platform.core.markdown import GENERATED_ID, HEADING_PREFIX
from instep.transfer.imports.plan.markdown_references import ParsedPage
from instep.transfer.imports.tree.schemas import ImportedPage

NO_LETTER = re.compile(r"[\W_]+")
# A number at the end of an id, which is part of the heading or distinguishes repeated headings.
LAST_NUMBER = re.compile(r"[-_ ]\d+$")
NO_WORD = re.compile(r"[^\w\s-]")
SPACES = re.compile(r"\s")
REPETITION = re.compile(r"(.+)_(\d+)")
# An element in the source that only marks a position.
MARKED_PLACE = re.compile(r"""<[a-zA-Z][^<>]*?\s(?:id|name)\s*=\s*["']([^"'<>\s]+)["']""")
# Characters between a mark and the heading right after it.
MAX_DISTANCE = 200


@dataclass(slots=True)
class HeadingAnchors:
    """The ids of one page's headings, by each name that links may use for them."""

    by_name: dict[str, str] = field(default_factory=dict)

    def id_of(self, fragment: str) -> str | None:
        """The id, without our prefix, for a fragment of the source."""
        # Links in an export, and links that readers copied from our pages, have our prefix.
        bare_names = (fragment.removeprefix(prefix) for prefix in ("user-content-", HEADING_PREFIX))
        names = (name for name in (fragment, *bare_names, loose_name(fragment)) if name in self.by_name)
        return next((self.by_name[name] for name in names), None)

    def add_generated(self, named: Sequence[tuple[str, str]], title: str, *, is_python: bool) -> None:
        """Add the ids that the source's generator derives from headings, also with the title counted."""
        source_ids = python_ids if is_python else github_ids
        for before in ([], [title]):
            names = source_ids([*before, *(words for _, words in named)])[len(before) :]
            for name, (id, _) in zip(names, named, strict=True):
                self.by_name.setdefault(name, id)
        for id, _ in () if is_python else named:
            self.by_name.setdefault(id, id)


def heading_anchors_of(page: ImportedPage, parsed: ParsedPage, *, is_python: bool) -> HeadingAnchors:
    """The anchors of a page.

    `is_python` is true if Python-Markdown generated the source's ids, and not a generator with GitHub's rule.
    The title counts as a heading if it is one in the file.
    """
    anchors = HeadingAnchors()
    for name, number in page.heading_ids:
        if (id := id_at(parsed.headings, number)) is not None:
            anchors.by_name.setdefault(name, id)
    named = [(id, words) for id, words in parsed.headings if id]
    anchors.add_generated(named, page.title, is_python=is_python)
    for match in MARKED_PLACE.finditer(page.markdown):
        nearest = number_of_heading(match.start(), parsed.heading_places)
        if nearest is not None and (id := id_at(parsed.headings, nearest)) is not None:
            anchors.by_name.setdefault(match[1], id)
    for id, words in named:
        anchors.by_name.setdefault(loose_name(words), id)
        anchors.by_name.setdefault(letters(words), id)
    return anchors


def github_ids(headings: Sequence[str]) -> list[str]:
    """GitHub's ids for headings in this order; repeated ones get `-1`, `-2`."""
    counts: dict[str, int] = {}
    ids = []
    for words in headings:
        bare = id = SPACES.sub("-", NO_WORD.sub("", words.lower()))
        while id in counts:
            counts[bare] += 1
            id = f"{bare}-{counts[bare]}"
        counts[id] = 0
        ids.append(id)
    return ids


def python_ids(headings: Sequence[str]) -> list[str]:
    """The ids of Python-Markdown's `toc` for headings in this order; repeated ones get `_1`, `_2`."""
    # The next number for each repeated heading.
    ends: dict[str, str] = {}
    ids: dict[str, None] = {}
    for number, words in enumerate(headings):
        ascii = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode()
        bare = re.sub(r"[-\s]+", "-", NO_WORD.sub("", ascii).strip().lower()) or f"_{number + 1}"
        id = ends.get(bare, bare)
        while id in ids:
            match = REPETITION.fullmatch(id)
            id = f"{match[1]}_{int(match[2]) + 1}" if match else f"{id}_1"
        ends[bare] = id
        ids[id] = None
    return list(ids)


def id_at(headings: Sequence[tuple[str, str]], number: int) -> str | None:
    """The id of a heading, or of the next one if it has no text."""
    return next((id for id, _ in headings[max(number, 0) :] if id), None)


def number_of_heading(place: int, heading_places: Sequence[int]) -> int | None:
    """The heading of a marked position: the one right after it, otherwise the one before it."""
    following = next((number for number, start in enumerate(heading_places) if start >= place), None)
    if following is not None and heading_places[following] - place <= MAX_DISTANCE:
        return following
    before = len(heading_places) if following is None else following
    return before - 1 if before else following


def letters(name: str) -> str:
    """The letters and digits of a name, without accents, on which all id generators agree."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    return NO_LETTER.sub("", "".join(sign for sign in plain if not unicodedata.combining(sign)))


def loose_name(name: str) -> str:
    """The letters of a name, without a number at its end that may distinguish repeated headings."""
    number = LAST_NUMBER.search(name)
    return letters(name) if number is None else letters(name[: number.start()]) + number[0].replace(" ", "-")


def as_fragment(id: str, *, is_same_page: bool) -> str:
    """The part of a link after `#`; within a page without our prefix, which the renderer adds."""
    if is_same_page and not GENERATED_ID.fullmatch(id):
        return id
    return HEADING_PREFIX + id
