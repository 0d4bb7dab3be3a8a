"""Run `instep check`: read a folder, print its problems, and exit with 1 if there are any."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from instep.client.ci.escaping import one_line, without_commands
from instep.client.ci.printing import print_text, say
from instep.content.style.files import read_style
from instep.content.style.schemas import Style
from instep.platform.core.errors import AppError
from instep.transfer.linting.pages import LintFinding, read_files
from instep.transfer.linting.targets import find_problems

FOUND = 1


def check_folder(path: Path, environ: Mapping[str, str], style_file: Path | None, *, as_json: bool) -> int:
    """Print findings as `path:line: sentence` and, in GitHub Actions, as annotations; return the exit code.

    With `as_json`, print all findings as one JSON document.
    """
    try:
        # A file is checked together with the others of its folder, because it may link to them.
        root = path.parent if path.is_file() else path
        files = read_files(root)
        findings = find_problems(root, files, read_style(style_file) if style_file else Style())
    except AppError as refusal:
        say(refusal.message)
        return FOUND
    if path.is_file():
        files = [file for file in files if file.path == path]
        findings = [finding for finding in findings if finding.path == path]
    if as_json:
        print_text(json_report(len(files), findings))
        return FOUND if findings else 0
    for finding in findings:
        print_text(one_line(f"{finding.path}:{finding.line}: {finding.message}"))
        if environ.get("GITHUB_ACTIONS") == "true":
            print_text(annotation(finding))
    say(summary(len(files), len(findings)))
    return FOUND if findings else 0


def summary(file_count: int, finding_count: int) -> str:
    files = "1 file" if file_count == 1 else f"{file_count} files"
    findings = "1 finding" if finding_count == 1 else f"{finding_count or 'no'} findings"
    return f"Checked {files}: {findings}."


def json_report(file_count: int, findings: Sequence[LintFinding]) -> str:
    rows = [
        {"path": str(finding.path), "line": finding.line, "message": finding.message} for finding in findings
    ]
    return json.dumps({"files": file_count, "findings": rows}, ensure_ascii=False)


def annotation(finding: LintFinding) -> str:
    """The workflow command that shows a finding at its line in GitHub."""
    place = in_command(str(finding.path)).replace(":", "%3A").replace(",", "%2C")
    message = in_command(without_commands(finding.message))
    return f"::error file={place},line={finding.line}::{message}"


def in_command(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
