"""Grammars applied to a piece of code that may begin and end anywhere."""

import pytest

from instep.drafting.writer.facts.declarations import declarations_of
from instep.drafting.writer.facts.syntax import syntax_of
from instep.platform.text.patch import Hunk, Line


def hunk(code: str, mark: str = "+") -> Hunk:
    return Hunk("", tuple(Line(mark, line, n, n) for n, line in enumerate(code.strip("\n").split("\n"), 1)))


def defined(path: str, code: str) -> list[tuple[str, str]]:
    return [(declaration.name, declaration.kind) for declaration in declarations_of(hunk(code), "+", path)]


@pytest.mark.parametrize(
    ("path", "code", "names"),
    [
        (
            "a.py",
            "  page_size: int = Field(\n    default=20,\n    ge=1,\n  )\n  def load(self):\n    tries = 3\n",
            [("page_size", "key"), ("load", "function")],
        ),
        (
            "a.ts",
            "  interface Options {\n    pageSize?: number\n  }\n  const load = () => {\n    let a = 3\n  }\n",
            [("Options", "type"), ("pageSize", "key"), ("load", "assignment")],
        ),
        ("a.tsx", 'return <Button label="Save" />', []),
        (
            "a.go",
            "type Config struct {\n\tPageSize int\n}\nfunc Load() {\n\ttries := 3\n}\n",
            [("Config", "type"), ("PageSize", "key"), ("Load", "function")],
        ),
        (
            "a.java",
            "  enum Color { RED }\n  int load() {\n    int tries = 3;\n  }\n",
            [("Color", "type"), ("load", "function")],
        ),
        (
            "a.rs",
            "pub struct Config {\n    pub page_size: u32,\n}\nfn load() {\n    let tries = 3;\n}\n",
            [("Config", "type"), ("page_size", "key"), ("load", "function")],
        ),
        (
            "a.rb",
            "class Config\n  LIMIT = 20\n  def load\n    tries = 3\n  end\nend\n",
            [("Config", "type"), ("LIMIT", "key"), ("load", "function")],
        ),
        (
            "a.php",
            "class Config {\n  public int $pageSize = 20;\n  function load() {\n    $tries = 3;\n  }\n}\n",
            [("Config", "type"), ("pageSize", "key"), ("load", "function")],
        ),
        (
            "a.cs",
            "class Config {\n  int PageSize { get; } = 20;\n  void Load() {\n    var tries = 3;\n  }\n}\n",
            [("Config", "type"), ("PageSize", "key"), ("Load", "function")],
        ),
        ("a.yml", "page_size: 20\n", [("page_size", "key")]),
    ],
)
def test_names_for_users_are_told_from_those_of_one_function(
    path: str, code: str, names: list[tuple[str, str]]
) -> None:
    assert defined(path, code) == names


def test_a_text_that_looks_like_code_defines_nothing() -> None:
    assert defined("a.py", 'QUERY = """\npage_size: 20\ndef load():\n"""\n') == [("QUERY", "assignment")]


def test_lines_that_no_grammar_explains_are_read_on_their_own() -> None:
    assert ("page_size", "key") in defined("a.ts", "page_size: string;\n})) => {\n")


@pytest.mark.parametrize("code", ["x = '\ud800'", "<T{`" * 200 + "\n" + '/<("' * 9_000, "a\n" * 40_000])
def test_noise_ends_soon(code: str) -> None:
    list(declarations_of(hunk(code), "+", "a.tsx"))
    assert syntax_of("a.tsx", hunk(code, "-"), "+") is not None
