"""The writer: what a code change makes untrue in the articles, and the edits that set it right.

`writing.write` is the whole of it, step by step; `shapes` is what goes in and what comes out.

1. Read the change: `diffs`, a unified diff as data, and which of its files speak to users.
2. Facts: `facts`, from paired lines (renames, new values, rewordings, what the title states) and from the
   grammar of the language (`facts.syntax`: definitions, signatures, defaults); `facts.gathering` has all.
3. Locate: `locating`, in which `ranking` and `mentions` find the articles, `need` says whether any needs an
   edit, `gates` and `chances` which of them are likely enough for a draft.
4. Edit: `editing`, in which `places` and `belonging` find what is certain, `examples` code in articles,
   `removing` what is gone; `inserting`, new entries beside their siblings, or a note; `editing.drafts` puts
   together what is likely, `editing.drafting` all. `model` is what a language model may add, checked.
5. New articles: `new_articles`, for what no article covers, and from instructions.
6. Evidence and verdicts: `reporting`.

`articles` reads articles (their words and their form); `words` is what all steps share about words. No step
reaches the database or the network.
"""

from instep.writer.diffs.parser import read_diff
from instep.writer.diffs.patch import Diff, InvalidDiff
from instep.writer.shapes import Article, Change, Evidence, Proposal, Report, StaleMention, Verdict
from instep.writer.writing import write

__all__ = [
    "Article",
    "Change",
    "Diff",
    "Evidence",
    "InvalidDiff",
    "Proposal",
    "Report",
    "StaleMention",
    "Verdict",
    "read_diff",
    "write",
]
