"""Instructions and examples that use what a change removes, and variables that nothing reads any more."""

import pytest

from tests.writer.conftest import Ask, text_of

OPTIONS = (
    "export type Options = {\n  batchSize?: number\n  keepLegacyIds?: boolean\n  retries?: number\n}\n",
    "export type Options = {\n  batchSize?: number\n  retries?: number\n}\n",
)
USE = ("  if (options.keepLegacyIds) keep(ids)\n  run(options)\n", "  run(options)\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Imports run at night. You can set `keepLegacyIds` to `true` to keep them. They take an hour.",
            "Imports run at night. They take an hour.",
        ),
        (
            "Imports run at night. Requires `keepLegacyIds: true`. This takes longer. They end early.",
            "Imports run at night. They end early.",
        ),
        (
            "```ts\nrun({\n  // keepLegacyIds keeps ids.\n  keepLegacyIds: true,\n  retries: 3,\n})\n```",
            "```ts\nrun({\n  retries: 3,\n})\n```",
        ),
        ("Imports run at night. Since 4.0 you cannot set `keepLegacyIds`. They take an hour.", None),
        ("Imports run at night. Set `keepLegacyIds`, `retries` or `batchSize`. They take an hour.", None),
        ("Imports run at night. What `keepLegacyIds` did is unknown. They take an hour.", None),
        ("## keepLegacyIds\n\nIds are kept. Set `keepLegacyIds` to `true`. They take an hour.", None),
    ],
)  # fmt: skip
def test_what_tells_to_use_something_removed_goes_with_it(ask: Ask, text: str, expected: str | None) -> None:
    files = {"src/options.ts": OPTIONS, "src/run.ts": USE}

    report = ask(files, f"# Import\n\n{text}\n", title="Remove keepLegacyIds", name="Import")

    assert text_of(report) == (expected and f"# Import\n\n{expected}\n")


@pytest.mark.parametrize(("name", "is_gone"), [("CHAT_WIDGET_KEY", True), ("NODE_ENV", False)])
def test_the_entry_of_a_variable_that_nothing_reads_any_more_goes(ask: Ask, name: str, is_gone: bool) -> None:
    files = {
        "web/server.js": (f"start();\nchat(process.env.{name});\n", "start();\n"),
        "web/page.js": (f"if (process.env.{name}) hide();\nshow();\n", "show();\n"),
    }
    entry = f"- `{name}`: the key of the chat.\n"
    text = f"# Variables\n\n- `WEB_PORT`: the port.\n{entry}- `WEB_HOST`: the host.\n"

    report = ask(files, text, title="Take the chat out", name="Variables")

    assert text_of(report) == (text.replace(entry, "") if is_gone else None)
