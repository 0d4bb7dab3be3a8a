"""The page of a pull request in the GitHub double, on which people tick boxes, comment and merge."""

import re
from dataclasses import dataclass, field
from html import escape
from urllib.parse import parse_qs

from tests.support.ci_servers import Asked, Reply
from tests.support.github_double import BOX, Delivery, GitHubDouble, page_of

HEADING = re.compile(r"^\*\*\d+\. \[(.+?)\]", re.MULTILINE)


@dataclass
class GitHubPages(GitHubDouble):
    """GitHub with the page of its pull request; it collects the deliveries for octocat's actions."""

    deliveries: list[Delivery] = field(default_factory=list)

    def reply(self, asked: Asked) -> Reply:
        method, path, _ = (
            asked.line.split(" ") if asked.line.count(" ") == 2 else (*asked.line.split(" "), "")
        )
        if path != f"/{self.name}/pull/7":
            return super().reply(asked)
        if method == "POST":
            self.act({name: values[0] for name, values in parse_qs(asked.body.decode()).items()})
            return Reply(303, raw=b"", headers={"Location": path})
        return self.pull_page()

    def act(self, form: dict[str, str]) -> None:
        if "box" in form:
            self.deliveries.append(self.click_box(int(form["box"])))
        elif "comment" in form:
            self.deliveries.append(self.comment(form["comment"]))
        else:
            self.merge()
            self.deliveries.append(self.delivery("closed"))

    def pull_page(self) -> Reply:
        texts = [f"<section>{shown(str(row['body']))}</section>" for row in self.comments]
        check = self.checks[-1]["conclusion"] if self.checks else "none"
        return page_of(
            "Pull request 7",
            f'<p role="status">{check}</p>{"".join(texts)}'
            '<form method="post"><textarea name="comment" aria-label="Comment"></textarea>'
            '<button>Send</button></form><form method="post"><button>Merge</button></form>',
        )


def shown(comment: str) -> str:
    """A comment with check boxes that work as on GitHub, each labeled with its draft's title."""
    lines, title, number = [], "", "0"
    for line in comment.split("\n"):
        if heading := HEADING.match(line):
            title, number = heading[1], line[2 : line.index(".")]
        if box := BOX.match(line):
            checked = " checked" if box[1] == "x" else ""
            lines.append(
                f'<form method="post"><input type="hidden" name="box" value="{number}"><label><input'
                f' type="checkbox"{checked} onchange="this.form.submit()">{escape(title)}</label></form>'
            )
        else:
            lines.append(f"<div>{escape(line)}</div>")
    return "".join(lines)
