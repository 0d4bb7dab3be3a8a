"""The ASGI application, assembled from the routes of all slices."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from instep.accounts.oauth import pages as oauth
from instep.accounts.oauth.errors import render_oauth_error
from instep.accounts.people import pages as people
from instep.accounts.trusts.id_tokens import Issuers
from instep.accounts.workspaces.rest import router as bots
from instep.content.articles.rest import router as articles
from instep.content.changelog.rest import router as changelog
from instep.content.collections.rest import router as collections
from instep.content.files.rest import router as files
from instep.content.files.storage import open_storages
from instep.content.parts.rest import router as parts
from instep.content.product_versions.rest import router as product_versions
from instep.content.redirects.rest import router as redirects
from instep.content.style.rest import router as style
from instep.drafting.comments.rest import router as comments
from instep.drafting.drafts.rest import router as drafts
from instep.drafting.drift.rest import router as drift
from instep.drafting.places.rest import router as places
from instep.drafting.tasks.rest import router as tasks
from instep.drafting.translations.rest import router as translations
from instep.interfaces.dashboard import errors as dashboard_errors
from instep.interfaces.dashboard import pages as dashboard
from instep.interfaces.mcp_servers import discovery
from instep.interfaces.mcp_servers import servers as mcp
from instep.interfaces.reference import pages as reference
from instep.interfaces.site import public_routes as site
from instep.interfaces.site.error_pages import answer_error
from instep.interfaces.site.kept_pages import KeptPages, SharedStates
from instep.interfaces.site.versioned_addresses import VersionedAddresses
from instep.notifications.webhooks.rest import router as webhooks
from instep.operations.ops import exposition, health, thin_client
from instep.platform.core.config import settings
from instep.platform.core.errors import AppError
from instep.platform.core.outbound.dns_texts import find_texts
from instep.platform.web import assets, custom_domains
from instep.platform.web.authenticated_route import allowed_methods, refuse_address
from instep.platform.web.compression import Compression
from instep.platform.web.custom_domains import CustomDomains
from instep.platform.web.errors import as_app_error
from instep.platform.web.log import configure_logging
from instep.platform.web.mcp.workspace import refuse_address_of_tools
from instep.platform.web.middleware import RequestLog
from instep.platform.web.open_cors import MachineAddresses, OpenCors
from instep.platform.web.public import access_of
from instep.platform.web.public_limit import Buckets, PublicLimit
from instep.platform.web.security_headers import SecurityHeaders
from instep.platform.web.serving import stop_with_supervisor
from instep.platform.web.signed_in import SomeoneElsesForm
from instep.platform.web.visitors.errors import is_visitor_path, render_visitor_error
from instep.runtime import Runtime, log_end, running, work
from instep.search.rest import router as search
from instep.search.semantic.query_embedder import query_embedder
from instep.transfer.api_references.rest import router as api_references
from instep.transfer.git_sync.rest import router as git_sync
from instep.transfer.repositories import rest as code_hosts
from instep.visitors.answers.rest import router as answers
from instep.visitors.insights.rest import router as insights
from instep.visitors.insights.visits.counter import VisitCounter, counting

ROUTERS = (
    *(bots, search, articles, drafts, places, collections, parts, redirects, files, changelog, git_sync),
    *(product_versions, style, tasks, translations, drift, comments, webhooks, insights),
    api_references,
)


def create_app(*, logs_requests: bool = True) -> FastAPI:
    """Create the application of one server process; raises if a route does not declare its access."""
    configure_logging()
    app = FastAPI(
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        # Its spans contain paths and queries, such as visitors' questions; `core.tracing` records neither.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    for router in ROUTERS:
        app.router.routes.extend(router.routes)
    app.router.routes.extend([*answers.routes, *mcp.routes, *discovery.routes, *oauth.routes])
    app.router.routes.extend([*health.routes, *exposition.routes, *thin_client.routes])
    app.router.routes.extend([*custom_domains.routes, *code_hosts.routes])
    app.router.routes.extend([*reference.routes, *people.routes])
    app.router.routes.extend([*assets.routes, *dashboard.routes, *site.routes])
    for route in app.routes:
        access_of(route)
    app.add_exception_handler(AppError, refuse)
    app.add_exception_handler(HTTPException, refuse)
    app.add_middleware(Compression)
    app.add_middleware(KeptPages)
    app.add_middleware(VersionedAddresses)
    app.add_middleware(PublicLimit)
    app.add_middleware(MachineAddresses)
    app.add_middleware(CustomDomains)
    app.add_middleware(RequestLog, on_error=refuse, is_silent=not logs_requests)
    app.add_middleware(OpenCors)
    app.add_middleware(SecurityHeaders)
    return app


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    stop_with_supervisor()
    async with running(settings()) as runtime:
        put_into(app, runtime)
        # Objects that exist by now are permanent, so the garbage collector need not scan them again.
        gc.collect()
        gc.freeze()
        async with (
            counting(app.state.visit_counter, runtime.database),
            query_embedder.loading_ahead(runtime.database),
        ):
            if not runtime.settings.jobs:
                yield
                return
            stop = asyncio.Event()
            working = asyncio.create_task(work(runtime, stop))
            working.add_done_callback(log_end)
            yield
            stop.set()
            await working


def put_into(app: FastAPI, runtime: Runtime) -> None:
    app.state.settings = runtime.settings
    app.state.database = runtime.database
    app.state.replica = runtime.replica
    app.state.cursor_key = runtime.cursor_key
    app.state.model = runtime.model
    app.state.outbound = runtime.outbound
    app.state.find_texts = find_texts
    app.state.descriptions = reference.Descriptions(app.routes, runtime.settings.base_url)
    app.state.visit_counter = VisitCounter()
    app.state.site_states = SharedStates()
    app.state.readiness = health.Readiness(runtime.database)
    app.state.known_hosts = custom_domains.known_hosts()
    app.state.issuers = Issuers(runtime.outbound) if runtime.outbound else None
    app.state.storages = open_storages(runtime.settings, runtime.database)
    app.state.public_buckets = Buckets(runtime.settings.public_requests_per_minute)


async def refuse(request: Request, error: Exception) -> Response:
    """Render an error outside the routes of APIs: JSON below their prefixes, a page elsewhere."""
    refusal = as_app_error(error)
    if refusal.status == 405:
        refusal.headers["Allow"] = ", ".join(allowed_methods(request))
    if f"{request.url.path}/".startswith(f"{mcp.WORKSPACE_PATH}/"):
        return await refuse_address_of_tools(request, refusal)
    if f"{request.url.path}/".startswith("/v1/"):
        return await refuse_address(request, refusal)
    if request.url.path in oauth.CALLED_BY_APPS:
        return render_oauth_error(refusal)
    if is_visitor_path(request.url.path):
        return render_visitor_error(refusal)
    if dashboard_errors.is_for_part(request):
        return dashboard_errors.refuse_part(request, refusal)
    if dashboard_errors.is_for_dashboard(request) or isinstance(refusal, SomeoneElsesForm):
        return dashboard_errors.refuse_page(request, refusal)
    return await answer_error(request, refusal)
