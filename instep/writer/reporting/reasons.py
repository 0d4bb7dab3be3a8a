"""The sentences of the report: reasons for edits, reasons against them, and the summary."""

import re
from collections import Counter
from collections.abc import Sequence

from instep.text.characters import shorten
from instep.writer.editing.apply import best_source
from instep.writer.editing.edits import Edit, EditReason, EditsByArticle
from instep.writer.editing.example_edits import ExampleEdit
from instep.writer.editing.heading_links import HeadingLink
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.facts.collect import RemovedName
from instep.writer.facts.removals import Removal
from instep.writer.facts.renames import Rename
from instep.writer.facts.signatures import Signature
from instep.writer.facts.values import Value
from instep.writer.inserting.insertions import Insertion
from instep.writer.porting.ported_text import PortedText
from instep.writer.relevance.concerned_sections import ConcernedPlace

_MAX_SENTENCES = 5
_MAX_QUOTE_CHARACTERS = 80


def reason_for_edit(edits: Sequence[Edit]) -> str:
    """One sentence per fact: what the article says, how the change differs, and where."""
    counts = Counter(_key(edit.fact) for edit in edits)
    first_facts: dict[tuple[str, str, str], EditReason] = {}
    for edit in edits:
        first_facts.setdefault(_key(edit.fact), edit.fact)
    facts = list(first_facts.values())
    sentences = [_sentence(fact, counts[_key(fact)]) for fact in facts[:_MAX_SENTENCES]]
    if len(facts) > _MAX_SENTENCES:
        sentences.append(f"{_counted(len(facts) - _MAX_SENTENCES, 'more statement')} like these.")
    return " ".join(sentences)


def _key(fact: EditReason) -> tuple[str, str, str]:
    if isinstance(fact, PortedText):
        return type(fact).__name__, fact.sources[0].file, ""
    return type(fact).__name__, fact.old, fact.new


def _sentence(fact: EditReason, times: int) -> str:
    where = location(best_source(fact))
    if isinstance(fact, Rename):
        often = "" if times == 1 else f" {times} times"
        return f"Says {quoted(fact.old)}{often}; the change renames it to {quoted(fact.new)} ({where})."
    if isinstance(fact, Insertion):
        return f"Lists {quoted(fact.neighbour)}, and not {quoted(fact.name)} which the change adds ({where})."
    if isinstance(fact, Value):
        verb = "States" if fact.is_beside_name else "Most likely states"
        counts = f"{verb} `{fact.names[0]}` as {quoted(fact.old)}"
        return f"{counts}; the change makes it {quoted(fact.new)} ({where})."
    if isinstance(fact, HeadingLink):
        return f"Links to a heading by `#{fact.old}`; with its new name that is `#{fact.new}` ({where})."
    if isinstance(fact, Removal):
        what = "Speaks of" if fact.is_in_sentence else "Has an entry about"
        return f"{what} {quoted(fact.old)}, which the change removes ({where})."
    if isinstance(fact, Signature):
        return f"Writes {quoted(fact.old)}; with the change it is {quoted(fact.new)} ({where})."
    if isinstance(fact, ExampleEdit | PortedText):
        return _sentence_on_lines(fact, times, where)
    verb = "Says nearly" if fact.is_near else "Repeats"
    return f"{verb} {quoted(fact.old)}; the change rewords it to {quoted(fact.new)} ({where})."


def _sentence_on_lines(fact: ExampleEdit | PortedText, times: int, where: str) -> str:
    if isinstance(fact, ExampleEdit):
        return f"Shows code of {where} in an example, which is to go along with it."
    often = "" if times == 1 else f" in {times} places"
    return f"Has text that the change edits itself{often} ({where}): taken over word for word."


def reason_for_concern(place: ConcernedPlace) -> str:
    where = f" under {quoted(place.heading)}" if place.heading else ""
    return (
        f"Is most likely concerned by this change ({location(place.sources[0])}): write here{where} what "
        "readers should know of it."
    )


def reason_for_doubt(rename: Rename) -> str:
    where = location(best_source(rename))
    return (
        f"Says {quoted(rename.old)}, which may now be {quoted(rename.new)} ({where}), but {rename.doubt}: "
        "left as it is."
    )


def reason_for_removal(removal: Removal) -> str:
    why = removal.doubt or "what says so is about more than this name"
    return (
        f"Mentions {quoted(removal.old)}, which this change removes ({location(best_source(removal))}), "
        f"but {why}: left as it is."
    )


def reason_for_removed_name(removed: RemovedName) -> str:
    where = location(removed.source)
    return f"Mentions {quoted(removed.name)}, of which this change takes a use out ({where}): worth a look."


def reason_for_remaining_name(rename: Rename) -> str:
    return (
        f"Says {quoted(rename.old)}, now {quoted(rename.new)} ({location(best_source(rename))}), "
        "but here it may mean something else, for example in an address or another program: left as it is."
    )


def reason_for_value(value: Value) -> str:
    return (
        f"Speaks of `{value.names[0]}`, which goes from {quoted(value.old)} to {quoted(value.new)} "
        f"({location(best_source(value))}), but does not state the old value beside it."
    )


def reason_for_similarity(shared_terms: Sequence[str]) -> str:
    if not shared_terms:
        return "Shares no telling word with the change."
    words = ", ".join(f"“{word}”" for word in shared_terms)
    return f"Shares {words} with the change, but states nothing that the change makes untrue."


def summary_of(facts: Sequence[EditReason], edits: EditsByArticle, sentences: Sequence[str]) -> str:
    """One or two sentences on what changed, in how many articles, and what was not read."""
    return " ".join([_headline(facts, edits), *sentences])


def _headline(facts: Sequence[EditReason], edits: EditsByArticle) -> str:
    counts = Counter(key for listed in edits.values() for key in {_key(edit.fact) for edit in listed})
    if not counts:
        return "No article states what this changes." if facts else "Nothing certain was found to edit."
    most_frequent = min(counts, key=lambda key: (-counts[key], key))
    more = f" and {_counted(len(counts) - 1, 'other statement')}" if len(counts) > 1 else ""
    states = _counted(len(edits), "article") + (" states" if len(edits) == 1 else " state")
    what = "it" if len(counts) == 1 else "them"
    main_fact = next(fact for fact in facts if _key(fact) == most_frequent)
    return f"{_changed(main_fact)}{more}; {states} {what}."


def _changed(fact: EditReason) -> str:
    if isinstance(fact, Value):
        return f"Changed `{fact.names[0]}` from {quoted(fact.old)} to {quoted(fact.new)}"
    if isinstance(fact, PortedText):
        return f"Edited the documentation in {quoted(fact.sources[0].file)}"
    if isinstance(fact, Insertion):
        return f"Added {quoted(fact.name)}"
    if isinstance(fact, Removal):
        return f"Removed {quoted(fact.old)}"
    if isinstance(fact, Signature):
        return f"Extended {quoted(fact.old)} to {quoted(fact.new)}"
    if isinstance(fact, ExampleEdit):
        return "Changed code that examples show"
    if isinstance(fact, HeadingLink):
        return "Renamed a heading that articles link to"
    verb = "Renamed" if isinstance(fact, Rename) else "Reworded"
    return f"{verb} {quoted(fact.old)} to {quoted(fact.new)}"


def location(source: SourceLine) -> str:
    return f"{source.file}, line {source.line}"


def quoted(text: str) -> str:
    """A name as code, a sentence in quotation marks; both shortened."""
    flat = re.sub(r"\s+", " ", text)
    short = shorten(flat, _MAX_QUOTE_CHARACTERS)
    return f"“{short}”" if " " in short or "`" in short else f"`{short}`"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
