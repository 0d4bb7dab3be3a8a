"""The writer finds what a code change makes untrue in the articles, and edits it.

`writing.write` runs all steps; `shapes` holds its input and output. `retrieval` says by which texts an index
finds the articles to read, if there are more than `write` can. The folders are a ladder: each step
imports only steps before it.

1. `diffs` parses a unified diff and decides which of its files concern users. `words` has what all steps
   share about words: identifiers, terms, prose.
2. `articles` reads articles: their headings, sections, lists and the words that they share.
3. `facts` says what the change did: which names, labels, texts and values became others (`became`), which
   names are gone (`removed_names`) and which are new (`additions`).
4. `relevance` ranks the articles, estimates which of them the change concerns, and finds where to write.
5. `porting` carries over what the change edits in its own documentation. `editing` finds the places of
   articles that say what the change replaced (`occurrences`, `stated_values`) and makes the edits (`apply`).
6. `reporting` gives evidence, reasons and warnings to the reviewer, and the places to write at.
   `new_articles` outlines an article that is asked for. `llm` adds what a language model may contribute.

`models` and `fitted` have the fitted models that weigh the signs.

No step reaches the database or the network.
"""

from instep.drafting.writer.shapes import (
    Article,
    Change,
    DismissedEdit,
    Evidence,
    Place,
    Proposal,
    Report,
    StaleMention,
    Statement,
    Suppressed,
    Verdict,
)
from instep.drafting.writer.writing import write
from instep.platform.text.patch import Diff, InvalidDiff
from instep.platform.text.patch_parser import parse_diff

__all__ = [
    "Article",
    "Change",
    "Diff",
    "DismissedEdit",
    "Evidence",
    "InvalidDiff",
    "Place",
    "Proposal",
    "Report",
    "StaleMention",
    "Statement",
    "Suppressed",
    "Verdict",
    "parse_diff",
    "write",
]
