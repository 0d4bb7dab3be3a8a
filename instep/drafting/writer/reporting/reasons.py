"""The sentences of the report: reasons for edits, reasons against them, and the summary."""

from collections import Counter
from collections.abc import Sequence

from instep.drafting.writer.editing.apply import best_source
from instep.drafting.writer.editing.edits import Edit, EditReason, EditsByArticle
from instep.drafting.writer.facts.became import Became
from instep.drafting.writer.porting.ported_text import PortedText
from instep.drafting.writer.shapes import with_noun
from instep.platform.text.characters import in_one_line, shorten

_MAX_SENTENCES = 5
_MAX_QUOTE_CHARACTERS = 80


def reason_for_edit(edits: Sequence[Edit]) -> str:
    """One sentence per fact: what the article says, how the change differs, and in which line."""
    counts = Counter(_key(edit.fact) for edit in edits)
    first_facts: dict[tuple[str, str, str], EditReason] = {}
    for edit in edits:
        first_facts.setdefault(_key(edit.fact), edit.fact)
    facts = list(first_facts.values())
    sentences = [_sentence(fact, counts[_key(fact)]) for fact in facts[:_MAX_SENTENCES]]
    if len(facts) > _MAX_SENTENCES:
        sentences.append(f"{with_noun(len(facts) - _MAX_SENTENCES, 'more statement')} like these.")
    return " ".join(sentences)


def _key(fact: EditReason) -> tuple[str, str, str]:
    if isinstance(fact, PortedText):
        return type(fact).__name__, fact.sources[0].file, ""
    return fact.kind, fact.old, fact.new


def _sentence(fact: EditReason, times: int) -> str:
    where = best_source(fact).location
    if isinstance(fact, PortedText):
        often = "" if times == 1 else f" in {times} places"
        return f"Contains text that the change itself edits{often} ({where}): the same edit, word for word."
    often = "" if times == 1 else f" {times} times"
    if fact.value:
        name = fact.names[0]
        return (
            f"States `{name}` as {quoted(fact.old)}{often}; the change makes it {quoted(fact.new)} ({where})."
        )
    verb = "rewords" if fact.kind == "text" else "renames"
    return f"Says {quoted(fact.old)}{often}; the change {verb} it to {quoted(fact.new)} ({where})."


def reason_for_doubt(fact: Became) -> str:
    """The reason that a person must judge a passage with the old text."""
    return (
        f"Says {quoted(fact.old)}, which the change replaces with {quoted(fact.new)} in "
        f"{best_source(fact).location}: check whether it means the same here."
    )


def sentence_about(edits: EditsByArticle) -> str:
    """A sentence about the main change and the number of articles that state it; empty without edits."""
    counts = Counter(key for listed in edits.values() for key in {_key(edit.fact) for edit in listed})
    if not counts:
        return ""
    most_frequent = min(counts, key=lambda key: (-counts[key], key))
    more = f" and {with_noun(len(counts) - 1, 'other statement')}" if len(counts) > 1 else ""
    states = with_noun(len(edits), "article") + (" states" if len(edits) == 1 else " state")
    what = "it" if len(counts) == 1 else "them"
    facts = (edit.fact for listed in edits.values() for edit in listed)
    main_fact = next(fact for fact in facts if _key(fact) == most_frequent)
    return f"{_changed(main_fact)}{more}; {states} {what}."


def _changed(fact: EditReason) -> str:
    if isinstance(fact, PortedText):
        return f"Edited the documentation in {quoted(fact.sources[0].file)}"
    if fact.value:
        return f"Changed `{fact.names[0]}` from {quoted(fact.old)} to {quoted(fact.new)}"
    verb = "Reworded" if fact.kind == "text" else "Renamed"
    return f"{verb} {quoted(fact.old)} to {quoted(fact.new)}"


def quoted(text: str) -> str:
    """A name as code or a sentence in quotation marks, shortened."""
    short = shorten(in_one_line(text), _MAX_QUOTE_CHARACTERS)
    return f"“{short}”" if " " in short or "`" in short else f"`{short}`"
