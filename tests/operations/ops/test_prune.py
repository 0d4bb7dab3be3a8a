"""The hourly deletion of expired rows is rescheduled whatever fails, and no step blocks another."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from instep.accounts.people.invitations import invite
from instep.operations.ops import prune
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job
from instep.platform.identity.scopes import Role
from tests.support.cast import Cast
from tests.support.sign_in import fresh_email

JOB = Job(1, prune.PRUNE, {}, 1)
NEXT_RUN = "select min(run_at) - now() from jobs where kind = 'prune'"


@pytest.fixture
async def events_stay(owner: Tx) -> AsyncIterator[None]:
    """The database refuses one of the first steps."""
    function = "function prune_events(interval, integer)"
    await owner.execute(f"revoke execute on {function} from instep_app")
    yield
    await owner.execute(f"grant execute on {function} to instep_app")


async def expired_invitation(owner: Tx, cast: Cast) -> str:
    made = await invite(owner, cast.acme.workspace_id, fresh_email(), Role.VIEWER)
    id = made.invitation.id
    await owner.execute("update invitations set expires_at = now() - interval '1 s' where id = %(id)s", id=id)
    return id


async def test_a_step_that_fails_is_told_and_the_others_are_done(
    database: Database, owner: Tx, cast: Cast, events_stay: None
) -> None:
    id = await expired_invitation(owner, cast)

    with capture_logs() as lines, pytest.raises(prune.PruneFailed, match="prune_events"):
        await prune.prune(database, JOB)

    assert [line["step"] for line in lines if line["log_level"] == "error"] == ["prune_events"]
    assert await owner.value("select count(*) from invitations where id = %(id)s", id=id) == 0
    wait = await owner.value(NEXT_RUN)
    assert timedelta(minutes=59) < wait <= timedelta(hours=1)
