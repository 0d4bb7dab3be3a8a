"""An empty ASGI application and an empty FastAPI application, the upper bounds of what a server can reach."""

from fastapi import FastAPI
from fastapi.responses import Response
from starlette.types import Receive, Scope, Send


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"{}"})


framework = FastAPI(openapi_url=None)


@framework.get("/")
async def empty() -> Response:
    return Response(b"{}", media_type="application/json")
