"""Lists of names in one form, such as variables of one prefix, which tell where a new such name belongs."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from instep.writer.articles.entries import EntryList, ListEntry, entry_lists_of
from instep.writer.facts.written_names import NameForm, name_form_of
from instep.writer.shapes import Article
from instep.writer.words.identifiers import parts_of

_MIN_ENTRIES = 5
_MIN_SHARE = 0.6
_MIN_PREFIX_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class UniformList:
    """A list whose labels have one form.

    `prefix` is the first part that most labels share, `outer_prefix` what the text of the entries puts
    before their labels, as in `ACME_` for the label `PAGE_SIZE` and the text `ACME_PAGE_SIZE`.
    """

    entry_list: EntryList
    form: NameForm
    prefix: str
    outer_prefix: str

    def label_for(self, name: str) -> str | None:
        """The label that a name would have here; None if it has another prefix than the others."""
        if self.outer_prefix and not name.startswith(self.outer_prefix):
            return None
        label = name.removeprefix(self.outer_prefix)
        if self.prefix and parts_of(label)[:1] != [self.prefix]:
            return None
        return label if name_form_of(label) == self.form else None

    def neighbour_of(self, label: str) -> ListEntry:
        """The last entry of those that share most of their first parts with a label."""
        parts = parts_of(label)
        return max(
            (entry for entry in reversed(self.entry_list.entries) if entry.label),
            key=lambda entry: common_parts(parts, parts_of(entry.label)),
        )


def longest_list_article(variable: str, articles: Iterable[Article]) -> str | None:
    """The id of the article with the longest list of variables that begin like this one, if any has one."""
    prefix = f"{variable.split('_', 1)[0]}_"
    lengths = {
        article.id: max(
            (
                len(each.entry_list.entries)
                for each in uniform_lists_of(article.text)
                if each.form == "variable" and each.prefix and each.label_for(variable)
            ),
            default=0,
        )
        for article in articles
        if article.text.count(prefix) >= _MIN_ENTRIES
    }
    longest = max(lengths, key=lengths.__getitem__, default=None)
    return longest if longest is not None and lengths[longest] else None


def common_parts(parts: Sequence[str], others: Sequence[str]) -> int:
    """How many parts two names share from their beginning."""
    count = 0
    for part, other in zip(parts, others, strict=False):
        if part != other:
            break
        count += 1
    return count


@lru_cache(maxsize=1_024)
def uniform_lists_of(text: str) -> tuple[UniformList, ...]:
    """The lists with at least five entries of which most have one form."""
    # Each command lists options, so that the form of a name does not tell which help it belongs to.
    entry_lists = (entry_list for entry_list in entry_lists_of(text) if entry_list.kind != "option")
    lists = (_uniform_list(entry_list, text) for entry_list in entry_lists)
    return tuple(uniform_list for uniform_list in lists if uniform_list)


def _uniform_list(entry_list: EntryList, text: str) -> UniformList | None:
    if len(entry_list.entries) < _MIN_ENTRIES:
        return None
    forms = Counter(name_form_of(entry.label) for entry in entry_list.entries)
    form, count = forms.most_common(1)[0]
    if form is None or count < max(_MIN_ENTRIES, _MIN_SHARE * len(entry_list.entries)):
        return None
    entries = [entry for entry in entry_list.entries if name_form_of(entry.label) == form]
    first_parts = Counter(parts_of(entry.label)[0] for entry in entries)
    prefix, prefix_count = first_parts.most_common(1)[0]
    return UniformList(
        entry_list,
        form,
        prefix if prefix_count >= _MIN_PREFIX_SHARE * count else "",
        _outer_prefix(entries, text) if form == "variable" else "",
    )


def _outer_prefix(entries: Sequence[ListEntry], text: str) -> str:
    """The prefix that the text of most entries gives their labels."""
    prefixes = Counter(_prefix_of(entry, text) for entry in entries)
    prefix, count = prefixes.most_common(1)[0]
    return prefix if count >= _MIN_SHARE * len(entries) else ""


def _prefix_of(entry: ListEntry, text: str) -> str:
    body = text[entry.start : entry.end]
    at = body.find(f"_{entry.label}")
    start = at
    while start > 0 and (body[start - 1].isupper() or body[start - 1].isdigit() or body[start - 1] == "_"):
        start -= 1
    return body[start : at + 1] if 0 <= start < at else ""
