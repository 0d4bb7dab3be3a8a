"""The default that stands below its setting changes, also where the choices are listed beside it."""

import pytest

from tests.writer.conftest import Ask, text_of

CONFIG = "return [\n    'install-mode' => '{}',\n    'cache-mode' => 'auto',\n    'secure-login' => {},\n];\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "## install-mode\n\nDefaults to `auto` and can be any of `source`, `dist` or `auto`.\n\n"
            "## cache-mode\n\nDefaults to `auto` and can be `none` or `auto`.",
            "## install-mode\n\nDefaults to `dist` and can be any of `source`, `dist` or `auto`.\n\n"
            "## cache-mode\n\nDefaults to `auto` and can be `none` or `auto`.",
        ),
        (
            "## secure-login\n\nDefaults to `true`. When `true`, a code is asked for.",
            "## secure-login\n\nDefaults to `false`. When `true`, a code is asked for.",
        ),
        ("## install-mode\n\nDefaults to `auto` before 2.0, to `dist` since.", None),
        ("## install-mode\n\nWith `auto` the app decides between `source` and `dist`.", None),
        ("## quick-install-mode\n\nDefaults to `auto`, or `dist`.", None),
    ],
)
def test_the_default_below_the_name_of_a_setting_changes(ask: Ask, text: str, expected: str | None) -> None:
    files = {
        "src/config.php": (CONFIG.format("auto", "true"), CONFIG.format("dist", "false")),
        "src/install.php": ("switch ($mode) {\n}\n", "switch ($mode) {\n    case 'auto':\n}\n"),
    }

    report = ask(files, f"# Settings\n\n{text}\n", "Install from dist by default", "Settings")

    assert text_of(report) == (expected and f"# Settings\n\n{expected}\n")
