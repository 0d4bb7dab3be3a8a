"""Drift over REST."""

from fastapi.responses import Response
from starlette.requests import Request

from instep.accounts.language_model.choosing import models_of
from instep.drafting.drift import actions
from instep.drafting.drift.schemas import DriftCheck, DriftOut, StatementsOut, drift_out
from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx
from instep.platform.web.api import ApiRouter, reply

router = ApiRouter()


@router.operation("GET /drift/statements", actions.list_statements, StatementsOut)
async def list_statements(ctx: Ctx, request: Request) -> Response:
    return reply(await actions.list_statements(ctx, models_of(request.app.state)))


@router.operation("POST /drift/checks", actions.check_drift, DriftOut, body_bytes=limits.MAX_DRIFT_BODY_BYTES)
async def check_drift(ctx: Ctx, request: Request, body: DriftCheck) -> Response:
    return reply(drift_out(await actions.check_drift(ctx, body, models_of(request.app.state))))
