"""Security header fields, set in one place for every route."""

from functools import cache

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from instep.platform.core import limits

# For responses other than pages: a browser that shows one anyway loads and runs nothing.
BARE_POLICY = "default-src 'none'; frame-ancestors 'none'"
# Browser features that no page of ours uses.
UNUSED_FEATURES = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"
# Paths whose responses are private to one caller.
PRIVATE = ("/v1/", "/widget/", "/chat/", "/feedback/", "/leads/", "/mcp/", "/oauth/")
# Paths that pages of other origins load: the widget, and the visitor API.
CROSS_ORIGIN = ("/widget.js/", "/widget/", "/chat/", "/feedback/", "/leads/", "/files/")


class SecurityHeaders:
    """Adds the headers that a route has not set itself."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = dict(message["headers"])
                fields = fields_for(
                    f"{scope['path']}/".startswith(CROSS_ORIGIN),
                    f"{scope['path']}/".startswith(PRIVATE),
                    headers.get(b"content-type", b"").startswith(b"text/html"),
                    scope["app"].state.settings.is_encrypted,
                )
                message["headers"] = [
                    *message["headers"],
                    *(field for field in fields if field[0] not in headers),
                ]
            await send(message)

        await self.app(scope, receive, send_protected)


@cache
def fields_for(
    is_cross_origin: bool, is_private: bool, is_page: bool, is_encrypted: bool
) -> list[tuple[bytes, bytes]]:
    """The headers for a response, as lower-case names and values."""
    fields = {
        "x-content-type-options": "nosniff",
        "content-security-policy": BARE_POLICY,
        "cross-origin-resource-policy": "cross-origin" if is_cross_origin else "same-origin",
    }
    if is_private:
        fields["cache-control"] = "no-store"
    if is_page:
        fields["permissions-policy"] = UNUSED_FEATURES
    if is_encrypted:
        fields["strict-transport-security"] = f"max-age={limits.HSTS_SECONDS}"
    return [(name.encode(), value.encode()) for name, value in fields.items()]
