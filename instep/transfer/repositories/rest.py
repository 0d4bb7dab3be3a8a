"""The public endpoint for code hosts' deliveries, which are verified and stored with their jobs."""

import json
from typing import Any

import structlog
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.identity.access import hold_open
from instep.platform.web.public import public
from instep.platform.web.strict_request import StrictRequest
from instep.transfer.repositories import queries, review_queries
from instep.transfer.repositories.host_credentials import open_credentials
from instep.transfer.repositories.hosts.host_json import Malformed
from instep.transfer.repositories.hosts.host_kinds import FORMS
from instep.transfer.repositories.hosts.host_reviews import REVIEWS
from instep.transfer.repositories.intake import release_soon, take_comment, take_in
from instep.transfer.repositories.schemas import CodeHost, PullComment, PullNotice, RemoteRepository

log = structlog.get_logger("instep.repositories")

PATH = "/hooks/{kind}/{host_id}"
# Used for unknown addresses, so that verification takes as long as for known ones.
NO_SECRET = "no delivery is signed with this"
NOT_GENUINE = "This delivery is not signed with the secret of a connected code host."


@public
async def receive_delivery(request: Request) -> Response:
    """Store a delivery. The response is sent before anything is fetched from the host."""
    database, kind = request.app.state.database, request.path_params["kind"]
    strict = StrictRequest(request.scope, request.receive)
    await strict.read(limits.MAX_HOOK_BODY_BYTES)
    strict.refuse_too_large(limits.MAX_HOOK_BODY_BYTES)
    body = await strict.body()
    host, secret = await find_host(database, kind, request.path_params["host_id"])
    form = FORMS.get(kind)
    if form is None or not form.is_genuine(request.headers, body, secret) or host is None:
        return JSONResponse({"error": NOT_GENUINE}, 401)
    payload, notice, released, comment = read_json(body), None, None, None
    try:
        comment = REVIEWS[host.kind].read_comment(request.headers, payload) if kind in REVIEWS else None
        notice = form.read(request.headers, payload)
        released = form.read_release(request.headers, payload)
    except Malformed as error:
        log.info("delivery_ignored", host=host.id, reason=f"{error} is missing")
    if released is not None:
        return JSONResponse({"repositories": await store_release(database, host, released)}, 202)
    if comment is not None:
        return JSONResponse({"repositories": await store_comment(database, host, comment)}, 202)
    count = await store(database, host, notice) if notice else 0
    return JSONResponse({"repositories": count}, 202)


async def find_host(database: Database, kind: str, host_id: str) -> tuple[CodeHost | None, str]:
    """The code host of an address, and the secret with which its deliveries are signed."""
    if kind not in FORMS:
        return None, NO_SECRET
    async with database.enter_workspace("") as tx:
        workspace_id = await queries.workspace_of_code_host(tx, host_id)
    if workspace_id is None:
        return None, NO_SECRET
    async with database.enter_workspace(workspace_id) as tx:
        host = await queries.find_code_host(tx, host_id)
    credentials = open_credentials(host) if host and host.kind == kind else None
    # An app without a webhook has no secret, and an empty one would prove nothing.
    return (host, credentials.secret) if credentials and credentials.secret else (None, NO_SECRET)


def read_json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


async def store(database: Database, host: CodeHost, notice: PullNotice) -> int:
    """Store a notice for each help center with the repository; return their number."""
    async with database.enter_workspace(host.workspace_id) as tx, tx.transaction():
        await hold_open(tx, host.workspace_id)
        await queries.set_remote(tx, host.id, notice.repository)
        repositories = await queries.list_by_remote_id(tx, host.id, notice.repository.remote_id)
        for repository in repositories:
            await take_in(tx, repository, notice.pull_request, notice.is_approval)
    return len(repositories)


async def store_comment(database: Database, host: CodeHost, comment: PullComment) -> int:
    """Take in a comment for the help center whose drafts it decides; returns the number of readers.

    If several help centers read the repository, each command has to name one by its slug.
    """
    async with database.enter_workspace(host.workspace_id) as tx, tx.transaction():
        await hold_open(tx, host.workspace_id)
        repositories = await queries.list_by_remote_id(tx, host.id, comment.repository.remote_id)
        for repository in repositories:
            slug = await review_queries.slug_of(tx, repository.bot_id) if len(repositories) > 1 else None
            await take_comment(tx, repository, comment, slug)
    return len(repositories)


async def store_release(database: Database, host: CodeHost, remote: RemoteRepository) -> int:
    """Schedule a check for releases for each help center with the repository; return their number."""
    async with database.enter_workspace(host.workspace_id) as tx, tx.transaction():
        await hold_open(tx, host.workspace_id)
        repositories = await queries.list_by_remote_id(tx, host.id, remote.remote_id)
        for repository in repositories:
            await release_soon(tx, repository)
    return len(repositories)


routes = [Route(PATH, receive_delivery, methods=["POST"])]
