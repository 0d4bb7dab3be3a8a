"""The versions of platforms that build files require, as articles state them."""

import pytest

from instep.writer.editing.supported_versions import without_dropped_versions
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.facts.values import Value
from tests.writer.conftest import Ask, text_of


@pytest.mark.parametrize(
    ("path", "before", "after", "text", "expected"),
    [
        (
            "app/build.gradle.kts", "        minSdk = 26\n", "        minSdk = 28\n",
            "The app needs Android 8.0 (API level 26) or later.",
            "The app needs Android 9 (API level 28) or later.",
        ),
        (
            "ios/Podfile", "platform :ios, '15.0'\n", "platform :ios, '16.0'\n",
            "You need iOS 15 or newer, or macOS 15.", "You need iOS 16 or newer, or macOS 15.",
        ),
        (
            "ios/project.yml", '  iOS: "15.0"\n  watchOS: "9.0"\n', '  iOS: "16.4"\n  watchOS: "9.0"\n',
            "It needs iOS 15.0 or later, and a watch with watchOS 9.0.",
            "It needs iOS 16.4 or later, and a watch with watchOS 9.0.",
        ),
        (
            "Dockerfile", "FROM debian:12-slim\n", "FROM debian:13-slim\n",
            "The image is based on Debian 12.", "The image is based on Debian 13.",
        ),
        (
            "pyproject.toml", 'requires-python = ">=3.9"\n', 'requires-python = ">=3.11"\n',
            "It supports Python 3.9, 3.10, 3.11, and 3.12. Version 3.9 of the server is fine.",
            "It supports Python 3.11 and 3.12. Version 3.9 of the server is fine.",
        ),
        (
            "package.json", '  "engines": {\n    "node": ">=18"\n', '  "engines": {\n    "node": ">=20"\n',
            "| Node.js | 18, 20, 22 |", "| Node.js | 20, 22 |",
        ),
    ],
)  # fmt: skip
def test_a_required_platform_is_stated_in_its_new_version(
    ask: Ask, path: str, before: str, after: str, text: str, expected: str
) -> None:
    report = ask({path: (before, after)}, f"# Install\n\n{text}\n", name="Install")

    assert text_of(report) == f"# Install\n\n{expected}\n"


def test_a_number_that_no_version_has_ends_a_list_of_versions(ask: Ask) -> None:
    """Python refuses to read so many digits, which ended the task."""
    number = "7" * 5_000
    files = {"pyproject.toml": ('requires-python = ">=3.9"\n', 'requires-python = ">=3.11"\n')}

    report = ask(files, f"# Install\n\nIt supports Python 3.9, 3.10, 3.11, {number}.\n", name="Install")

    assert text_of(report) == f"# Install\n\nIt supports Python 3.11, {number}.\n"


def test_versions_of_the_code_may_begin_with_a_letter() -> None:
    source = SourceLine("deploy.yaml", 1, "kubernetes: v1.20", 1.0)
    fact = Value("v1.19", "v1.20", ("kubernetes",), (source,))

    spans = without_dropped_versions(fact, "Kubernetes v1.19, v1.20 and v1.21 work.")

    assert [remaining for _, _, remaining in spans] == ["v1.20 and v1.21"]
