"""The writer finds what a code change makes untrue in the articles, and edits it.

`writing.write` runs all steps; `shapes` has its input and output. If there are more articles than `write` can
read, an index finds the relevant ones by the texts of `retrieval`. The folders are a ladder: each step
imports only earlier steps.

1. `diffs` parses a unified diff and decides which of its files concern users. `words` has what all steps
   share about words: identifiers, terms, prose.
2. `articles` reads articles: their headings, sections, lists and the words that they share.
3. `facts` says what the change did: names, labels, texts and values that others replaced (`became`), removed
   names (`removed_names`) and new names (`additions`).
4. `relevance` ranks the articles, and estimates which of them the change concerns.
5. `porting` carries over the change's edits of its own documentation. `editing` finds the passages of
   articles with the replaced text (`occurrences`, `stated_values`) and makes the edits (`apply`).
6. `reporting` gives the reviewer evidence, reasons and warnings, and finds the places to write at.
   `new_articles` outlines a requested article. `llm` adds the contribution of a language model.

`drift` replays past changes, whichever of them has made articles wrong. `models` and `fitted` contain the
fitted models that weigh the signs.

No step accesses the database or the network.
"""

from instep.drafting.writer.shapes import (
    Article,
    Change,
    ChangeContext,
    CodeExcerpt,
    DismissedEdit,
    Evidence,
    LinkedIssue,
    Place,
    Proposal,
    Report,
    StaleMention,
    Statement,
    Suppressed,
    Verdict,
    WaitingEdit,
)
from instep.drafting.writer.writing import write
from instep.platform.text.patch import InvalidDiff
from instep.platform.text.patch_parser import parse_diff

__all__ = [
    "Article",
    "Change",
    "ChangeContext",
    "CodeExcerpt",
    "DismissedEdit",
    "Evidence",
    "InvalidDiff",
    "LinkedIssue",
    "Place",
    "Proposal",
    "Report",
    "StaleMention",
    "Statement",
    "Suppressed",
    "Verdict",
    "WaitingEdit",
    "parse_diff",
    "write",
]
