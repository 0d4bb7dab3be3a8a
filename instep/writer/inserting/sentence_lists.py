"""Members that a set gets or loses, in sentences: "choose **Email**, **Slack** or **Webhook**"."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from instep.writer.articles.passages import is_in_code_block, paragraph_start, sentence_around
from instep.writer.facts.removals import Removal
from instep.writer.facts.set_members import MemberChange, Slots
from instep.writer.inserting.insertions import Insertion
from instep.writer.words.identifiers import is_caption, parts_of, spelled_like
from instep.writer.words.prose import is_safe

# What is said of one member, as in "`text` (default)".
_REMARK = r"(?:\s\([^()\n]{1,30}\))?"
_SEPARATOR = re.compile(
    rf"(?P<left>[*_`\"'}}\]]*){_REMARK}(?P<mark>,?\s+(?:and|or)\s+|,\s+|\s*/\s*)(?P<right>[*_`\"'{{\[]*)"
)
_LAST = re.compile(r",?\s+(?:and|or)\s+")
_GOES_ON = re.compile(rf"[*_`\"'}}\]]*{_REMARK}(?:,\s*(?!(?:and|or|but|which|where)\b)|\s+(?:and|or)\s)")
_REMARK_AFTER = re.compile(_REMARK)
_EXAMPLES = re.compile(
    r"(?:\b(?:such as|for example|for instance|like|including|e\.g\.)[\s,:*_`\"']*)\Z", re.IGNORECASE
)
# What is said of some members, or was, need not hold for a new one.
_NARROWED = re.compile(
    r"\b(?:not|never|except|only|both|neither|nor|unlike|no longer|previously|until|instead|other than"
    r"|see also)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_OPENING_MARKS, _CLOSING_MARKS = "*_`\"'{", "*_`\"'}"
_NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = tuple(_NUMBER_WORDS.split())
_NUMBER = re.compile(rf"\b(?:{'|'.join(_NUMBERS)}|\d{{1,2}})\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_MAX_EXAMPLE_CHARACTERS = 30
_MIN_MEMBERS, _MIN_NAMES = 2, 3
_MIN_SHARED_WORDS = 0.7


@dataclass(frozen=True, slots=True)
class SentenceListEdit:
    """The text that takes the place of a span of an article (offsets in characters).

    `likeness` says how well the code spells the members as the article does, 2 for the same spelling. It
    `has_names` if these are at least three with a capital, as proper names and labels have.
    """

    start: int
    end: int
    new: str
    fact: Insertion | Removal
    likeness: int
    has_names: bool = False


@dataclass(frozen=True, slots=True)
class _Item:
    """A member in a sentence: its place, and the name in the code that stands for it."""

    start: int
    end: int
    name: str


def sentence_list_edits(members: MemberChange, text: str, title: str) -> list[SentenceListEdit]:
    """The edits of sentences that list members of a set, and not its new ones, or still the removed ones.

    The title of the change may tell how a name is written, as `WebP`.
    """
    slots = range(min(map(len, (*members.new, *members.removed, *members.before, *members.after))))
    lists = [(slot, items) for slot in slots for items in _lists_by_slot(members, slot, text)]
    # The name in the code that explains best how the sentence spells the members.
    lists.sort(key=lambda each: -_likeness(each[1], text))
    edits: dict[int, SentenceListEdit] = {}
    for slot, items in lists:
        edit = (
            _removal(members, items, slot, text)
            if members.removed
            else _insertion(members, items, slot, text, title)
        )
        if edit and items[0].start not in edits:
            edits[items[0].start] = edit
            count = len(members.new) or -sum(item.name in _names(members.removed, slot) for item in items)
            edits |= {each.start: each for each in _counts(items, edit, count, text)}
    return list(edits.values())


def _lists_by_slot(members: MemberChange, slot: int, text: str) -> Iterator[list[_Item]]:
    before, after = _names(members.before, slot), _names(members.after, slot)
    new, removed, siblings = _names(members.new, slot), _names(members.removed, slot), {*before, *after}
    # An article that says the new name elsewhere may be up to date, unless it repeats a text of the code.
    is_known = not members.quoted and any(_spelled(name).search(text) for name in new)
    if len(siblings) < _MIN_MEMBERS or siblings & {*new} or is_known:
        return
    for items in _runs([*before[::-1], *removed, *after], text):
        names = {item.name for item in items}
        first, last = sentence_around(text, items[0].start, items[-1].end)
        if members.quoted and not _repeats(members.quoted, new, text[paragraph_start(text, first) : last]):
            continue
        is_narrowed = bool(_NARROWED.search(text, first, last)) or is_in_code_block(text, items[0].start)
        if removed:
            # Whatever a list says of its members, what is gone is none of them.
            is_meant = len(names - {*removed}) >= _MIN_MEMBERS and not names.isdisjoint(removed)
        else:
            is_meant = _are_all(items, siblings, members.is_whole, text)
        if is_meant and not is_narrowed:
            yield items


def _repeats(quoted: str, new: Sequence[str], passage: str) -> bool:
    """Whether a passage has most words of a text of the code, and not what this says now."""
    words, own_words = ({*_WORD.findall(each.lower())} for each in (quoted, passage))
    is_new = not any(_spelled(name).search(passage) for name in new)
    return is_new and len(words & own_words) >= _MIN_SHARED_WORDS * len(words)


def _are_all(items: Sequence[_Item], siblings: Collection[str], is_whole: bool, text: str) -> bool:
    """Whether a sentence lists all members, and not some as examples."""
    names = {item.name for item in items}
    lead_end = _outer_start(items[0], text)
    are_examples = _EXAMPLES.search(text, max(0, lead_end - _MAX_EXAMPLE_CHARACTERS), lead_end)
    are_all = all(
        any(_is_short_for(name, other) for other in names) for name in siblings if name not in names
    )
    has_others = is_whole and bool(_GOES_ON.match(text, items[-1].end))
    return len(names) >= _MIN_MEMBERS and are_all and not (are_examples or has_others)


def _is_short_for(name: str, other: str) -> bool:
    """Whether one of two names leaves out letters of the other, as jpg does of jpeg."""
    short, long = sorted((name.casefold(), other.casefold()), key=len)
    letters = iter(long)
    return short[:1] == long[:1] and all(letter in letters for letter in short)


def _likeness(items: Sequence[_Item], text: str) -> int:
    """2 if the names are spelled as in the code, 1 if their case differs, else 0; by the worst of them."""
    spelling = [(item.name, text[item.start : item.end]) for item in items]
    return min(2 if name == text else int(name.casefold() == text.casefold()) for name, text in spelling)


def _counts(
    items: Sequence[_Item], edit: SentenceListEdit, added: int, text: str
) -> Iterator[SentenceListEdit]:
    """The number of members, where the sentence says it before it lists them: "There are three themes"."""
    first, _ = sentence_around(text, items[0].start, items[-1].end)
    for match in _NUMBER.finditer(text, first, items[0].start):
        word = match[0].lower()
        count = _NUMBERS.index(word) if word in _NUMBERS else int(word) if word.isdigit() else 0
        new_count = count + added
        if count == len(items) and (word.isdigit() or new_count < len(_NUMBERS)):
            new = str(new_count) if word.isdigit() else _NUMBERS[new_count]
            new = new.capitalize() if match[0].istitle() else new
            yield SentenceListEdit(match.start(), match.end(), new, edit.fact, edit.likeness, edit.has_names)


def _names(slots: Sequence[Slots], slot: int) -> list[str]:
    return [each[slot] for each in slots]


def _runs(names: Sequence[str], text: str) -> Iterator[list[_Item]]:
    """Runs of the names with nothing but commas and conjunctions between them."""
    places = sorted(
        (
            _Item(match.start(), match.end(), name)
            for name in names
            for match in _spelled(name).finditer(text)
        ),
        key=lambda item: (item.start, -item.end),
    )
    run: list[_Item] = []
    for item in places:
        if run and item.start < run[-1].end:
            continue
        if run and not _SEPARATOR.fullmatch(text, run[-1].end, item.start):
            yield run
            run = []
        run.append(item)
    if run:
        yield run


@lru_cache(maxsize=1_024)
def _spelled(name: str) -> re.Pattern[str]:
    """A name in any spelling, as a whole word."""
    words = r"[\s_.-]?".join(map(re.escape, parts_of(name))) or re.escape(name)
    return re.compile(rf"(?<![\w.-]){words}(?![\w-]|\.\w)", re.IGNORECASE)


def _insertion(
    members: MemberChange, items: Sequence[_Item], slot: int, text: str, title: str
) -> SentenceListEdit | None:
    """The edit after the nearest member before the new ones, or else before the first one after them."""
    new, before = _names(members.new, slot), _names(members.before, slot)
    by_name = {item.name: index for index, item in enumerate(items)}
    at = next((by_name[name] for name in before if name in by_name), None)
    template = items[at or 0]
    # A name of several words tells more of the spelling than one of a single word.
    spelled = max(items, key=lambda item: (len(parts_of(item.name)) > 1, item is template))
    spelling = text[spelled.start : spelled.end]
    labels = [_in_mixed_case(title, name) or _label(name, spelled.name, spelling) for name in new]
    if not all(labels) or not is_safe("", "".join(filter(None, labels))):
        return None
    start, end = _outer_start(template, text), _outer_end(template, text)
    prefix, suffix = text[start : template.start], text[template.end : end]
    marked = [f"{prefix}{label}{suffix}" for label in labels]
    span, replacement = _placed(items, at, marked, text)
    fact = Insertion(
        name=", ".join(filter(None, labels)),
        neighbour=text[template.start : template.end],
        new=replacement,
        place=span[0],
        is_complete=True,
        sources=(members.source,),
    )
    likeness = _likeness(items, text)
    has_names = likeness > 1 and len(items) >= _MIN_NAMES and all(is_caption(item.name) for item in items)
    return SentenceListEdit(*span, replacement, fact, likeness, has_names)


def _removal(members: MemberChange, items: Sequence[_Item], slot: int, text: str) -> SentenceListEdit | None:
    """The list without the removed members; the conjunction stays before its last one."""
    removed = _names(members.removed, slot)
    spans = [(_outer_start(item, text), _end_of(item, text)) for item in items]
    gaps = [text[end:start] for (_, end), (start, _) in pairwise(spans)]
    indexes = [at for at, item in enumerate(items) if item.name not in removed]
    last_gap = gaps[-1].removeprefix(",") if len(indexes) == 2 and _LAST.fullmatch(gaps[-1]) else gaps[-1]
    joints = [*(gaps[at - 1] for at in indexes[1:-1]), last_gap, ""]
    joined = "".join(text[slice(*spans[at])] + joint for at, joint in zip(indexes, joints, strict=True))
    lost_names = [text[item.start : item.end] for item in items if item.name in removed]
    fact = Removal(", ".join(lost_names), (members.source,), None, joined, is_in_sentence=True)
    return SentenceListEdit(spans[0][0], spans[-1][1], joined, fact, _likeness(items, text))


def _placed(
    items: Sequence[_Item], at: int | None, marked: Sequence[str], text: str
) -> tuple[tuple[int, int], str]:
    """The span to replace, and its text: a new last member takes the conjunction of the former one."""
    if at is None:
        start = _outer_start(items[0], text)
        return (start, start), "".join(f"{label}, " for label in marked)
    end = _end_of(items[at], text)
    is_last = at == len(items) - 1 and not _GOES_ON.match(text, items[at].end)
    left, right = (_end_of(items[at - 1], text), _outer_start(items[at], text)) if at else (end, end)
    conjunction = text[left:right]
    if not is_last or not _LAST.fullmatch(conjunction):
        return (end, end), "".join(f", {label}" for label in marked)
    listed = "".join(f", {label}" for label in (text[right:end], *marked[:-1]))
    return (left, end), f"{listed}{conjunction}{marked[-1]}"


def _outer_start(item: _Item, text: str) -> int:
    start = item.start
    while start and text[start - 1] in _OPENING_MARKS:
        start -= 1
    return start


def _outer_end(item: _Item, text: str) -> int:
    end = item.end
    while end < len(text) and text[end] in _CLOSING_MARKS:
        end += 1
    return end


def _end_of(item: _Item, text: str) -> int:
    """The end of a member with what is said of it."""
    remark = _REMARK_AFTER.match(text, _outer_end(item, text))
    return remark.end() if remark else item.end


def _in_mixed_case(title: str, name: str) -> str | None:
    """The name as a title writes it, if in a way that no rule tells: `WebP`."""
    words = (word for word in _WORD.findall(title) if word.casefold() == name.casefold())
    return next((word for word in words if not (word.islower() or word.isupper() or word.istitle())), None)


def _label(new: str, sibling: str, spelling: str) -> str | None:
    """The new name as the article shows its sibling: in its case and spelling."""
    if spelling == sibling:
        return new
    respellings = (str.lower, str.upper, str.capitalize)
    respelled = next((respell(new) for respell in respellings if spelling == respell(sibling)), None)
    if respelled is not None:
        return respelled
    return spelled_like(new, sibling, spelling) or _as_words(new, sibling, spelling)


def _as_words(new: str, sibling: str, spelling: str) -> str | None:
    """`short text` for `SHORT_TEXT`."""
    words = parts_of(sibling)
    return " ".join(parts_of(new)) if spelling == " ".join(words) else None
