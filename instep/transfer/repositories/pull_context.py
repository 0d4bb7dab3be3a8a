"""The context of a pull request for a language model, from the API of its code host."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from instep.client.ci.code_around import code_within, files_to_read
from instep.client.ci.linked_issues import issue_numbers, issue_of
from instep.client.ci.next_version import VERSION_FILES, next_version
from instep.platform.core import limits
from instep.platform.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.transfer.repositories.hosts.host_form import HostForm
from instep.transfer.repositories.hosts.host_json import Malformed
from instep.transfer.repositories.hosts.host_requests import HostApi, HostBusy, HostFailed, HostRefused
from instep.transfer.repositories.schemas import PullRequest


@dataclass(slots=True)
class ContextReader:
    """Reads what the host gives for a pull request of a repository; `failures` are sentences for people."""

    api: HostApi
    form: HostForm
    # The repository: its name, and its web address.
    name: str
    home: str
    failures: list[str] = field(default_factory=list)

    async def read(self, pull_request: PullRequest, diff: str) -> dict[str, Any]:
        """The field `context` of a task, as far as it can be read in time."""
        context = dict[str, Any]()
        try:
            async with asyncio.timeout(limits.CHANGE_CONTEXT_SECONDS):
                context["issues"] = await self.issues(f"{pull_request.title}\n{pull_request.body or ''}")
                context["code"] = await self.code(diff, pull_request.head)
                context["nextVersion"] = await self.next_version(pull_request.head)
        except HostBusy:
            self.failures.append(f"{self.form.name} limits requests.")
        except (HostRefused, HostFailed) as failure:
            self.failures.append(failure.message)
        except (Malformed, TimeoutError, TimeLimitExceeded):
            self.failures.append(f"{self.form.name} does not give all of it.")
        return {name: value for name, value in context.items() if value}

    async def issues(self, text: str) -> list[dict[str, str]]:
        issues = []
        for number in issue_numbers(text, self.home):
            try:
                row = await self.api.get_json(self.form.issue_path(self.name, number))
            except HostRefused as refusal:
                self.failures.append(f"Issue #{number}: {refusal.message}")
                continue
            if issue := issue_of(row, self.home):
                issues.append(issue)
        return issues

    async def code(self, diff: str, commit: str) -> list[dict[str, Any]]:
        seconds = limits.MAX_FILE_SELECTION_SECONDS
        files = await run_with_timeout(files_to_read, diff, seconds=seconds)
        contents = {file.new_path: await self.content(file.new_path, commit) for file in files}
        return await run_with_timeout(code_within, files, contents, seconds=seconds)

    async def next_version(self, commit: str) -> str | None:
        tags = {release.tag for release in await self.form.list_releases(self.api, self.name)}
        for path in VERSION_FILES:
            content = await self.content(path, commit)
            if content and (version := next_version({path: content}, tags)):
                return version
        return None

    async def content(self, path: str, commit: str) -> str:
        """The text of a file; empty for one that is missing or too large."""
        try:
            response = await self.api.get(self.form.content_path(self.name, path, commit), self.form.raw)
        except HostRefused:
            return ""
        is_small = len(response.body) <= limits.MAX_CONTEXT_FILE_BYTES
        return response.body.decode("utf-8", "replace").replace("\0", "\ufffd") if is_small else ""
