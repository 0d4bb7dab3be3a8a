"""The writer: what a code change makes untrue in the articles, and the edits that correct it.

`writing.write` runs all steps; `shapes` holds its input and output. `retrieval` says by which texts an index
finds the articles to read, where there are more than `write` can. The folders are a ladder: each step
imports only steps before it.

1. `diffs` parses a unified diff and decides which of its files concern users. `words` has what all steps
   share about words: identifiers, terms, prose.
2. `articles` reads articles: their headings, sections, lists and the words that they share.
3. `facts` says what the change did: renames, new values, rewordings, removals and additions, from aligned
   lines and from the grammar of the language (`facts.syntax`). `facts.collect` puts them together.
4. `relevance` ranks the articles, estimates whether any needs an edit and which, and finds where to write.
5. `porting` carries over what the change edits in its own documentation. `inserting` makes new entries next
   to their siblings. `editing` finds the certain edits
   (`edits`, `value_binding`, `examples`, `removing`), adds likely ones (`likely`) and applies them (`apply`).
6. `new_articles` outlines an article that is missing, or one that is asked for. `reporting` gives evidence,
   reasons and warnings to the reviewer, and says where to write what the code does not tell. `llm` adds what
   a language model may contribute, checked.

No step reaches the database or the network.
"""

from instep.text.patch import Diff, InvalidDiff
from instep.text.patch_parser import parse_diff
from instep.writer.shapes import (
    Article,
    Change,
    Evidence,
    Place,
    Proposal,
    Report,
    StaleMention,
    Statement,
    Suppressed,
    Verdict,
)
from instep.writer.writing import write

__all__ = [
    "Article",
    "Change",
    "Diff",
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
