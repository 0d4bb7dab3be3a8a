"""JavaScript configuration is parsed as text and never executed."""

import pytest

from instep.platform.core import limits
from instep.transfer.imports.javascript.js_values import JsUnknown, JsValue, js_object, js_text
from instep.transfer.imports.javascript.modules import Configuration
from instep.transfer.imports.tree.schemas import UnreadableSource
from tests.support.import_sources import dedented


def exported(text: str, path: str = "config.ts", **others: str) -> JsValue:
    files = {name.replace("_", "."): content for name, content in others.items()}
    return Configuration(dedented({path: text, **files})).exported(path)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (
            "{ a: 1, 'b-c': [true, null, -2.5], [`d`]: undefined }",
            {"a": 1, "b-c": [True, None, -2.5], "d": None},
        ),
        ("'it\\'s \\u00e9\\n'", "it's é\n"),
        ("'\\ud83d\\ude00 \\ud83d'", "😀 \ufffd"),
        ("`plain` + ' and ' + \"joined\"", "plain and joined"),
        ("`${name} docs`", "Acme docs"),
        ("[...list, 3] as const", [1, 2, 3]),
        ("{ ...settings, title: 'New' } satisfies Settings", {"title": "New", "depth": 2}),
        ("settings.title", "Old"),
        ("settings['depth']", 2),
        ("process.env.SITE || 'https://docs.example.com'", "https://docs.example.com"),
        ("items()", ["from a function"]),
        ("arrow()", {"from": "an arrow"}),
        ("<b>Getting <i>started</i></b>", "Getting started"),
        ("require('./a.png').default", "./a.png"),
        ("['a', 'b'].map((x) => tagged(x + '!'))", ["#a!", "#b!"]),
        ("['a'].map((name) => acme)", ["Acme docs"]),
        ("[{ a: 1 }].map((x) => { const name = x.a; return name; })", [1]),
        ("[{ a: 1 }].map(({ a: name, b: list = 2 }) => [name, list])", [[1, 2]]),
        ("[{ 'a-b': { c: 1 } }].map(({ 'a-b': { c: list = 2 } }) => list)", [1]),
        ("[5].map((/* one */ x, /* its place */ at) => [x, at])", [[5, 0]]),
        ("1 === true", False),
        ("({}).off === true ? 'off' : 'on'", "on"),
        ("({}).kind == 'warning' ? 'Warn' : 'Note'", "Note"),
        ("1 != undefined", True),
        ("[1].map((x) => { 'use strict'; var y = [x]; console.log(y);; return y; })", [[1]]),
        ("[1].map((x) => { function items() { return 2 } return [x]; })", [[1]]),
        ("[1].map((x, at, all) => all.length === 1 ? 'one' : 'many')", ["one"]),
    ],
)
def test_literals_variables_and_functions_are_read(expression: str, value: JsValue) -> None:
    module = f"""
        const name: string = 'Acme'
        const list = [1, 2] // a comment
        export const settings = {{ title: 'Old', depth: 2 }}
        function items(): string[] {{ return ['from a function'] }}
        const arrow = () => ({{ from: 'an arrow' }})
        const tagged = (x) => `#${{x}}`
        const acme = `${{name}} docs`
        export default {expression}
    """

    assert exported(module, "config.tsx") == value


def test_imports_of_other_files_are_followed() -> None:
    value = exported(
        "import entries, { base } from './entries'\n"
        "module.exports = { base, entries, data: require('./data.json') }",
        entries_ts="export const base = '/docs/'\nexport default ['one']",
        data_json='{"two": 2}',
    )

    assert value == {"base": "/docs/", "entries": ["one"], "data": "./data.json"}


def test_computed_values_name_their_file_and_line() -> None:
    value = js_object(
        exported("export default defineConfig({\n  title: 'Docs',\n  sidebar: await load(),\n  x: y\n})")
    )

    assert js_text(value["title"]) == "Docs"
    assert value["x"] == JsUnknown("y", "config.ts", 4)


@pytest.mark.parametrize(
    "expression",
    [
        "[{ h: true }].map((x) => { if (x.h) return ''; return 'a'; })[0]",
        "1 == true",
        "[] === []",
        "null === undefined",
        "null == undefined",
        "[1].map((x) => { function name() { return 2 } return name; })[0]",
        "[1].map((x) => { x = 2; return x; })[0]",
        "[1].map((x) => { for (const y of []) {} return x; })[0]",
        "({ ...other }).title && 'a'",
        "[other()].map(({ title }) => title)[0]",
        "['a'].map(([name]) => name)[0]",
    ],
)
def test_a_value_that_the_text_does_not_state_is_unknown(expression: str) -> None:
    assert isinstance(exported(f"const name = 'Acme'\nexport default {expression}"), JsUnknown)


def test_a_function_that_only_a_program_can_run_tells_its_call() -> None:
    value = exported("function sorted(x) { x.sort(); return x }\nexport default sorted(['b', 'a'])")

    assert value == JsUnknown("sorted(['b', 'a'])", "config.ts", 2)


def test_values_that_contain_each_other_end() -> None:
    assert "[[[" in repr(exported("const a = [a]\nexport default a"))


def test_values_that_repeat_each_other_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_IMPORT_SETTINGS_VALUES", 1_000)
    lines = ["const a0 = ['lol']", *(f"const a{n} = [...a{n - 1}, ...a{n - 1}]" for n in range(1, 30))]

    with pytest.raises(UnreadableSource, match=r"config\.ts"):
        exported("\n".join([*lines, "export default a29"]))


@pytest.mark.parametrize(
    "expression",
    [
        f"[{'0,' * 26}].reduce((text) => `${{text}}${{text}}`, 'x')",
        f"[{'0,' * 26}].reduce((text) => [text, text].join(''), 'x')",
        f"[{'0,' * 26}].reduce((all) => [...all, ...all], [0])",
        f"[{'0,' * 9_000}].map(() => '').map((text, at, all) => all.join(text))",
        f"[{'0,' * 2_000}].map(({', '.join(f'a{n}' for n in range(2_000))}) => 0)",
        f"[{'0,' * 2_000}].map(({{{', '.join(f'a{n}' for n in range(2_000))}}}) => 0)",
    ],
)
def test_values_that_double_are_refused(expression: str) -> None:
    with pytest.raises(UnreadableSource, match=r"config\.ts"):
        exported(f"export default {expression}")


@pytest.mark.parametrize(
    ("start", "end"), [("(", " && a)"), ("[1].reduce((all) => all, ", ")"), ("['a'].join(", ")")]
)
def test_a_part_of_an_expression_is_evaluated_once(start: str, end: str) -> None:
    configuration = Configuration(dedented({"config.ts": f"export default {start * 16}''{end * 16}"}))

    assert configuration.exported("config.ts") in ("", "a")
    assert limits.MAX_IMPORT_SETTINGS_VALUES - configuration.values_left < 200


def test_a_file_that_is_no_javascript_has_no_value() -> None:
    assert isinstance(exported("{{{ this is ((( no program"), JsUnknown)
