"""Security header fields, set in one place for every route."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from instep.core import limits

# For responses other than pages: a browser that shows one anyway loads and runs nothing.
BARE_POLICY = "default-src 'none'; frame-ancestors 'none'"
# Browser features that no page of ours uses.
UNUSED_FEATURES = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"
# Paths whose responses are private to one caller.
PRIVATE = ("/v1/", "/widget/", "/chat/", "/feedback/", "/leads/", "/mcp/", "/oauth/")
# Paths that pages of other origins load: the widget, and the visitor API.
CROSS_ORIGIN = ("/widget.js/", "/widget/", "/chat/", "/feedback/", "/leads/", "/files/")


class SecurityHeaders:
    """Adds the fields that a route has not set itself."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in fields_for(scope, headers.get("content-type", "")).items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_protected)


def fields_for(scope: Scope, content_type: str) -> dict[str, str]:
    """The fields for a response of this content type at the path of the request."""
    path = f"{scope['path']}/"
    fields = {
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": BARE_POLICY,
        "Cross-Origin-Resource-Policy": "cross-origin" if path.startswith(CROSS_ORIGIN) else "same-origin",
    }
    if path.startswith(PRIVATE):
        fields["Cache-Control"] = "no-store"
    if content_type.startswith("text/html"):
        fields["Permissions-Policy"] = UNUSED_FEATURES
    if scope["app"].state.settings.is_encrypted:
        fields["Strict-Transport-Security"] = f"max-age={limits.HSTS_SECONDS}"
    return fields
