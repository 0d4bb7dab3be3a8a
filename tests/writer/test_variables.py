"""Settings that are fields in the code and environment variables in the articles."""

from instep.writer import Article, Change, write

DIFF = """\
--- a/app/config.py
+++ b/app/config.py
@@ -1,3 +1,3 @@
 class Settings(BaseSettings):
-    task_rate_limit: int = 30
+    tasks_per_hour: int = 30
     debug: bool = False
"""


def edited(diff: str, text: str) -> str | None:
    change = Change("Name the limit by what it counts", None, diff)
    proposals = write(change, [Article("settings", "Settings", text)]).proposals
    return proposals[0].text if proposals else None


def test_a_renamed_field_renames_its_variable_in_the_articles() -> None:
    text = "| `ACME_TASK_RATE_LIMIT` | 30 |\n"

    assert edited(DIFF, text) == "| `ACME_TASKS_PER_HOUR` | 30 |\n"


def test_longer_names_and_other_spellings_are_other_names() -> None:
    assert edited(DIFF, "`ACME_TASK_RATE_LIMIT_BURST` and `acme-TASK_RATE_LIMIT`\n") is None


def test_a_variable_that_the_code_still_reads_keeps_its_name() -> None:
    reading = (
        "@@ -9,2 +9,2 @@\n"
        '-task_rate_limit = env("ACME_TASK_RATE_LIMIT")\n'
        '+tasks_per_hour = env("ACME_TASK_RATE_LIMIT")\n'
        " debug = False\n"
    )

    assert edited(DIFF + reading, "Set `ACME_TASK_RATE_LIMIT`.\n") is None
