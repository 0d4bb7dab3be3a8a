"""A number or name that the code gives another meaning stays: another token, plan, product or server."""

import pytest

from tests.writer.conftest import Ask, text_of
from tests.writer.test_meant_places import FLAG

GO = 'listCmd.Flags().IntVar(&n, "limit", 100, "rows")\nexportCmd.Flags().IntVar(&n, "limit", {}, "rows")\n'


@pytest.mark.parametrize(
    ("before", "after", "article", "expected"),
    [
        (
            "trial_days = 14\n",
            "trial_days = 30\n",
            "# Trial\n\nYour trial lasts 14 days.\n\n## Refunds\n\nYou get a refund within 14 days.\n",
            "# Trial\n\nYour trial lasts 30 days.\n\n## Refunds\n\nYou get a refund within 14 days.\n",
        ),
        (
            "REFRESH_TOKEN_TTL_DAYS = 30\n",
            "REFRESH_TOKEN_TTL_DAYS = 90\n",
            "`REFRESH_TOKEN_TTL_DAYS`: 30\n\nRefresh tokens last 30 days. Personal tokens last 30 days.\n",
            "`REFRESH_TOKEN_TTL_DAYS`: 90\n\nRefresh tokens last 90 days. Personal tokens last 30 days.\n",
        ),
        (
            '"react": ">=17.0.0"\n',
            '"react": ">=18.0.0"\n',
            "React 17 or newer is required. React 17 changed much.\n",
            "React 18 or newer is required. React 17 changed much.\n",
        ),
        (
            "HTTP_PORT = 8080\nMETRICS_PORT = 8080\n",
            "HTTP_PORT = 8080\nMETRICS_PORT = 9100\n",
            "Sign in at http://localhost:8080. `METRICS_PORT` is `8080` by default.\n",
            "Sign in at http://localhost:8080. `METRICS_PORT` is `9100` by default.\n",
        ),
        (
            "plans:\n  pro:\n    retention_days: 90\n  team:\n    retention_days: 90\n",
            "plans:\n  pro:\n    retention_days: 180\n  team:\n    retention_days: 90\n",
            "Projects have a retention of 90 days. Pro has a retention of 90 days.\n",
            "Projects have a retention of 90 days. Pro has a retention of 180 days.\n",
        ),
        (
            "team:\n  price: 29\n  setup_fee: 29\nextra:\n  price: 9\n",
            "team:\n  price: 29\n  setup_fee: 49\nextra:\n  price: 9\n",
            "# Plans\n\nTeam costs $29. Team has a setup fee of $29. Team: $29 and once $29 for the setup.\n",
            "# Plans\n\nTeam costs $29. Team has a setup fee of $49. Team: $29 and once $29 for the setup.\n",
        ),
    ],
)
def test_what_means_something_else_stays(
    ask: Ask, before: str, after: str, article: str, expected: str
) -> None:
    report = ask(
        {"config/plans.yml" if ":\n" in before else "config.py": (before, after)}, article, "Change", "Plans"
    )
    assert text_of(report) == expected


def test_a_value_that_other_code_keeps_is_likely_and_told(ask: Ask) -> None:
    report = ask({"cmd.go": (GO.format(100), GO.format(500))}, "## `--limit`\n\n`--limit` defaults to 100.\n")

    [proposal] = report.proposals
    assert not proposal.is_certain
    assert proposal.warnings == ("`--limit` stays “100” elsewhere in the code: check which is meant.",)


def test_a_constant_that_says_its_value_is_renamed_with_it(ask: Ask) -> None:
    files = {"states.py": ('IN_PROGRESS = "in_progress"\n', 'IN_PROGRESS = "being_worked_on"\n')}

    assert (
        text_of(ask(files, "The state is `in_progress` then.\n")) == "The state is `being_worked_on` then.\n"
    )


def test_a_flag_that_several_programs_have_is_that_of_the_product_alone(ask: Ask) -> None:
    commands = (
        "    acme pull --force\n    acme push\n    acme up\n    vitest --force\n    rclone sync --force\n"
    )

    assert text_of(ask(FLAG, commands)) == commands.replace("pull --force", "pull --overwrite")
