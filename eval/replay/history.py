"""The code changes of a repository, and its articles as they stood before each of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from instep.client.ci.checkout import read_message, resolve, task_text, task_title
from instep.client.ci.diff import DIFF_TREE, select
from instep.client.ci.git import Git
from instep.drafting.writer import Article, Change
from instep.drafting.writer.articles.parsed_article import front_matter
from instep.drafting.writer.diffs.documentation import is_about_the_project, is_documentation
from instep.drafting.writer.porting.pages import title_of as title_of_page


@dataclass(frozen=True, slots=True)
class ReplayedChange:
    """A commit as the writer is given it, with the articles of its parent; ids of articles are paths."""

    commit: str
    change: Change
    articles: tuple[Article, ...]


@dataclass(frozen=True, slots=True)
class History:
    """A repository and its folder of documentation; `code` holds pathspecs that a commit has to touch.

    `has_documentation` says whether the diffs keep what the commits themselves edit in documentation.
    """

    git: Git
    docs: str
    code: Sequence[str]
    has_documentation: bool
    _texts: dict[str, str] = field(default_factory=dict)

    def commits(self, head: str) -> list[str]:
        """The commits up to `head` that touch code and whose parent has articles, latest first, no merges."""
        commit = resolve(self.git, head)
        options = ("--no-merges", "--min-parents=1", "--format=%H", commit)
        listed = self.git.read("log", *options, "--", *self._outside())
        commits = listed.decode().split()
        return [commit for commit in commits if self.git.find("ls-tree", f"{commit}^", f"{self.docs}/")]

    def change(self, commit: str) -> ReplayedChange:
        """A commit as `instep change` would send it."""
        subject, message = read_message(self.git, commit)
        selection = select(self.git, f"{commit}^", commit, self._paths(commit))
        change = Change(task_title(subject), task_text(message), selection.diff)
        return ReplayedChange(commit[:10], change, tuple(self._articles(f"{commit}^")))

    def _outside(self) -> list[str]:
        return [*(self.code or ["."]), f":(exclude){self.docs}"]

    def _paths(self, commit: str) -> list[str]:
        """The pathspecs of what is sent: everything, or everything but documentation."""
        if self.has_documentation:
            return []
        names = self.git.read(*DIFF_TREE, "--no-renames", "--name-only", "-z", f"{commit}^", commit)
        paths = names.decode("utf-8", "replace").split("\0")
        return [".", f":(exclude){self.docs}"] + [
            f":(exclude,literal){path}" for path in paths if is_documentation(path)
        ]

    def _articles(self, commit: str) -> Iterator[Article]:
        rows = self.git.read("ls-tree", "-r", "-z", commit, f"{self.docs}/").decode("utf-8", "replace")
        for row in rows.split("\0")[:-1]:
            description, path = row.split("\t", 1)
            if _is_article(path):
                text = self._text(description.split()[2])
                title = title_of_page(path, text)
                yield Article(path.removeprefix(f"{self.docs}/"), title, text[len(front_matter(text)) :])

    def _text(self, blob: str) -> str:
        if blob not in self._texts:
            self._texts[blob] = self.git.read("cat-file", "blob", blob).decode("utf-8", "replace")
        return self._texts[blob]


def _is_article(path: str) -> bool:
    is_partial = PurePosixPath(path).name.startswith(("_", "."))
    return is_documentation(path) and not is_partial and not is_about_the_project(path)
