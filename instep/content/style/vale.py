"""Reads a folder with styles of Vale as far as their rules can be checked here."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from yaml import YAMLError

from instep.content.style.files import read_small
from instep.content.style.schemas import HeadingCase, Style
from instep.content.style.word_patterns import OpenPattern, expand_pattern
from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest
from instep.platform.text.yaml_values import UnboundedYaml, load_yaml
from instep.platform.web.errors import body_from

HEADING_CASES: dict[str, HeadingCase] = {"$sentence": "sentence", "$title": "title"}


@dataclass(slots=True)
class ValeImport:
    """The rules of a folder; `skipped` says per file what was left out, and why."""

    terms: dict[str, list[str]] = field(default_factory=dict)
    avoid_words: list[str] = field(default_factory=list)
    heading_case: HeadingCase | None = None
    max_sentence_words: int | None = None
    skipped: list[str] = field(default_factory=list)
    file: str = ""

    def skip(self, reason: str) -> None:
        self.skipped.append(f"{self.file}: {reason}")

    def added_to(self, style: Style) -> Style:
        """The style with these rules; what it already has takes precedence."""
        own_terms = {term.term.casefold() for term in style.terms}
        values = style.model_dump(by_alias=True)
        values["terms"] += [
            {"term": term, "neverSay": words[: limits.MAX_TERM_VARIANTS]}
            for term, words in self.terms.items()
            if term.casefold() not in own_terms
        ]
        values["avoidWords"] = list(dict.fromkeys([*style.avoid_words, *self.avoid_words]))
        values["headingCase"] = style.heading_case or self.heading_case
        values["maxSentenceWords"] = style.max_sentence_words or self.max_sentence_words
        return body_from(Style, values)


def read_vale(folder: Path) -> ValeImport:
    """The rules of all styles and vocabularies below a folder; raises `InvalidRequest`."""
    result = ValeImport()
    paths = sorted(vale_files(folder))
    if not paths or len(paths) > limits.MAX_VALE_FILES:
        raise InvalidRequest(
            f"{folder} must contain 1 to {limits.MAX_VALE_FILES} files of Vale: rules in .yml."
        )
    for path in paths:
        result.file = os.path.relpath(path, folder)
        try:
            read_file(path, result)
        except (InvalidRequest, YAMLError, UnboundedYaml, AttributeError, TypeError):
            result.skip("the file is no rule of Vale")
    return result


def vale_files(folder: Path) -> Iterator[Path]:
    """The rules and the vocabularies below a folder; other files, such as `.vale.ini`, have no rules."""
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if name.endswith((".yml", ".yaml")) or name in ("accept.txt", "reject.txt"):
                yield Path(parent, name)


def read_file(path: Path, result: ValeImport) -> None:
    text = read_small(path)
    if path.suffix == ".txt":
        read_vocabulary(text, result, is_accepted=path.name == "accept.txt")
        return
    rule = load_yaml(text)
    kind = rule.get("extends")
    if kind not in READERS:
        result.skip(f"rules of the kind `{kind}` can't be checked")
    elif rule.get("nonword") == "true":
        result.skip("it matches parts of words")
    else:
        READERS[kind](rule, result)


def read_vocabulary(text: str, result: ValeImport, *, is_accepted: bool) -> None:
    """Accepted words become terms if they have capital letters; rejected ones become words to avoid."""
    for line in filter(None, map(str.strip, text.splitlines())):
        words = expanded(line, result)
        if is_accepted:
            result.terms.update(
                {word: [] for word in words if word != word.lower() and word not in result.terms}
            )
        else:
            result.avoid_words += words


def read_existence(rule: Mapping[str, Any], result: ValeImport) -> None:
    if rule.get("scope", "text") != "text":
        result.skip(f"it is only for {rule['scope']}")
        return
    if rule.get("raw"):
        result.skip("its `raw` expressions can't be checked")
        return
    for token in rule.get("tokens") or ():
        result.avoid_words += expanded(token, result)


def read_substitution(rule: Mapping[str, Any], result: ValeImport) -> None:
    for pattern, replacement in rule["swap"].items():
        term, *others = replacement.split("|")
        if not 0 < len(term.strip()) <= limits.MAX_GLOSSARY_TERM_CHARACTERS or not {"(", "$"}.isdisjoint(
            term
        ):
            result.skip(f"`{replacement}` is no term")
            continue
        if others:
            result.skip(f"only the first of `{replacement}` became a term")
        words = [word for word in expanded(pattern, result) if word.casefold() != term.casefold()]
        result.terms.setdefault(term, []).extend(words)


def read_occurrence(rule: Mapping[str, Any], result: ValeImport) -> None:
    limit = int(rule.get("max") or 0)
    is_possible = limits.MIN_SENTENCE_LIMIT_WORDS <= limit <= limits.MAX_SENTENCE_LIMIT_WORDS
    if rule.get("scope") != "sentence" or "\\w" not in rule.get("token", "") or not is_possible:
        result.skip("only the words of a sentence can be counted")
        return
    result.max_sentence_words = limit


def read_capitalization(rule: Mapping[str, Any], result: ValeImport) -> None:
    case = HEADING_CASES.get(rule.get("match", ""))
    if case is None or not rule.get("scope", "").startswith("heading"):
        result.skip("only sentence case and title case of headings can be checked")
        return
    result.heading_case = case
    if exceptions := rule.get("exceptions"):
        result.skip(f"its {len(exceptions)} exceptions were left out: add names to the glossary")


def expanded(pattern: str, result: ValeImport) -> list[str]:
    try:
        words = expand_pattern(pattern)
    except OpenPattern:
        result.skip(f"`{pattern}` is no list of words")
        return []
    if any(
        len(word) > limits.MAX_GLOSSARY_TERM_CHARACTERS or not any(map(str.isalnum, word)) for word in words
    ):
        result.skip(f"`{pattern}` has words that are too long, or no words")
        return []
    return words


READERS = {
    "existence": read_existence,
    "substitution": read_substitution,
    "occurrence": read_occurrence,
    "capitalization": read_capitalization,
}
