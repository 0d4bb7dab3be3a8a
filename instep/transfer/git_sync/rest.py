"""Sync with git over REST."""

from typing import Annotated

from fastapi import Query
from fastapi.responses import Response

from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx
from instep.platform.web.api import ApiRouter, reply
from instep.transfer.git_sync import actions
from instep.transfer.git_sync.schemas import FolderPath, SyncCreate, SyncOut, SyncStateOut

router = ApiRouter()

Folder = Annotated[FolderPath, Query()]


@router.operation("GET /sync", actions.get_sync_state, SyncStateOut)
async def get_sync_state(ctx: Ctx, folder: Folder) -> Response:
    return reply(await actions.get_sync_state(ctx, folder))


@router.operation(
    "POST /sync", actions.sync_folder, SyncOut, may_warn=True, body_bytes=limits.MAX_SYNC_BODY_BYTES
)
async def sync_folder(ctx: Ctx, body: SyncCreate) -> Response:
    return reply(SyncOut.of(await actions.sync_folder(ctx, body)))
