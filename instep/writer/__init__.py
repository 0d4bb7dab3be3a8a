"""The writer: what a code change makes untrue in the articles, and the edits that set it right."""

from instep.writer.patch import Diff, InvalidDiff
from instep.writer.reading import read_diff
from instep.writer.shapes import Article, Change, Evidence, Proposal, Report, Verdict
from instep.writer.writing import write

__all__ = [
    "Article",
    "Change",
    "Diff",
    "Evidence",
    "InvalidDiff",
    "Proposal",
    "Report",
    "Verdict",
    "read_diff",
    "write",
]
