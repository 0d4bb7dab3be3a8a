"""Drift over REST."""

from fastapi.responses import Response

from instep.drafting.drift import actions
from instep.drafting.drift.schemas import DriftCheck, DriftOut, StatementsOut, drift_out
from instep.platform.core import limits
from instep.platform.web.api import ApiRouter, reply
from instep.platform.web.call import CurrentCall

router = ApiRouter()


@router.operation("GET /drift/statements", actions.list_statements, StatementsOut)
async def list_statements(call: CurrentCall) -> Response:
    async with call.begin() as ctx:
        return reply(await actions.list_statements(ctx))


@router.operation("POST /drift/checks", actions.check_drift, DriftOut, body_bytes=limits.MAX_DRIFT_BODY_BYTES)
async def check_drift(call: CurrentCall, body: DriftCheck) -> Response:
    async with call.begin() as ctx:
        return reply(drift_out(await actions.check_drift(ctx, body)))
