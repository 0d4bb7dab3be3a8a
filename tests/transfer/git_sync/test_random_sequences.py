"""Random sequences of edits, renames, deletions, verdicts and syncs: no line is lost, and no sync loops."""

import asyncio

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from instep.platform.core.database import Tx
from tests.support.cast import Api, create_company
from tests.support.limits import SetSetting
from tests.transfer.git_sync.machine import SyncMachine

TEXTS = """
    select string_agg(concat_ws(e'\\n', title, content_markdown, working_markdown), e'\\n') from (
        select title, content_markdown, working_markdown from articles where bot_id = %(bot)s
        union all select title, content_markdown, null from revisions where bot_id = %(bot)s
        union all select title, content_markdown, null from drafts where bot_id = %(bot)s) kept
"""


@pytest.fixture(autouse=True)
def without_rate_limit(set_setting: SetSetting) -> None:
    """A sequence sends more requests than a key may in a minute."""
    set_setting("INSTEP_REQUESTS_PER_MINUTE", "100000")


async def assert_sequences_hold(owner: Tx, api: Api, sequences: int, steps: int) -> None:
    loop = asyncio.get_running_loop()

    class Machine(SyncMachine):
        """Each sequence has its own help center."""

        def __init__(self) -> None:
            super().__init__()
            self.loop = loop
            self.company = self.wait(create_company(owner, "Random"))
            self.client = api(self.company.write_key)

        async def texts_of_instep(self) -> list[str]:
            return [await owner.value(TEXTS, bot=self.company.bot_id) or ""]

    options = settings(
        max_examples=sequences,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    await asyncio.to_thread(run_state_machine_as_test, Machine, settings=options)


async def test_sequences_of_the_suite(owner: Tx, api: Api) -> None:
    await assert_sequences_hold(owner, api, 10, 8)


@pytest.mark.sync
async def test_five_hundred_long_sequences(owner: Tx, api: Api) -> None:
    await assert_sequences_hold(owner, api, 500, 20)
