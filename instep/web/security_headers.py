"""The header fields that protect whoever reads an answer, set in one place for every route."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from instep.core import limits

# What is no page needs nothing: a browser that shows it all the same loads and runs nothing with it.
BARE_POLICY = "default-src 'none'; frame-ancestors 'none'"
# What no page of ours asks a browser for.
UNUSED_FEATURES = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"
# What answers with private texts or secrets, or to a single caller.
PRIVATE = ("/v1/", "/chat/", "/leads/", "/mcp/", "/oauth/")
# What pages of other origins take in: the widget, and what it and public clients ask.
CROSS_ORIGIN = ("/widget.js/", "/widget/", "/chat/", "/leads/", "/files/")


class SecurityHeaders:
    """Adds to each answer the fields that its route has not set itself."""

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
    """The fields of an answer that has this type, at the address of the request."""
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
