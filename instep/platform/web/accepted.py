"""The media types that a client accepts (RFC 9110, section 12.5.1)."""

from starlette.requests import Request


def accepted_qualities(request: Request) -> dict[str, float]:
    """The quality (0 to 1) of each media type in `Accept`; an invalid one is 0."""
    qualities = {}
    for media_range in ",".join(request.headers.getlist("accept")).split(","):
        name, *parameters = (part.strip().lower() for part in media_range.split(";"))
        weights = [parameter[2:] for parameter in parameters if parameter.startswith("q=")]
        qualities[name] = quality_of(weights[0]) if weights else 1.0
    return qualities


def quality_of(weight: str) -> float:
    try:
        quality = float(weight)
    except ValueError:
        return 0
    return quality if 0 <= quality <= 1 else 0
