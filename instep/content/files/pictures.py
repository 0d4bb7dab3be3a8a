"""Images as they are served: without metadata, upright, and decodable within our limits."""

from dataclasses import dataclass
from io import BytesIO

from PIL import Image, ImageOps, ImageSequence, JpegImagePlugin

from instep.content.files.containers import strip_picture
from instep.content.files.kinds import AVIF, JPEG, PNG, WEBP, FileKind, UnsupportedType
from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest

FORMATS = {"png": "PNG", "jpg": "JPEG", "gif": "GIF", "webp": "WEBP", "avif": "AVIF"}
# Kinds whose orientation may be only in Exif.
TURNED_BY_EXIF = (JPEG, PNG, WEBP)
ORIENTATION = 0x0112
UPRIGHT = 1
SIDEWAYS = range(5, 9)
WEBP_QUALITY = 90
# One thread, so that memory does not depend on the machine.
AVIF_ENCODING = {"quality": 90, "speed": 10, "max_threads": 1}
# Our own limit is checked before anything is decoded.
Image.MAX_IMAGE_PIXELS = None


class PictureTooLarge(InvalidRequest):
    """The image has too many pixels."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A served image, with its size in pixels."""

    content: bytes
    width: int
    height: int


def read_picture(data: bytes, kind: FileKind) -> Picture:
    """Raise `UnsupportedType` for undecodable bytes, `PictureTooLarge` for too many pixels."""
    try:
        content = upright(data, kind)
        width, height = decode_all(content, kind)
    except (PictureTooLarge, MemoryError):
        raise
    except Exception:
        # A decoder of hostile bytes raises errors of any class.
        raise UnsupportedType from None
    return Picture(content, width, height)


def upright(data: bytes, kind: FileKind) -> bytes:
    """The image without metadata, rotated as its metadata said, because browsers would no longer know."""
    if kind == AVIF:
        return encode_avif(data)
    stripped = strip_picture(data, kind)
    if kind not in TURNED_BY_EXIF:
        return stripped
    with open_picture(data, kind) as image:
        is_animation = kind != JPEG and getattr(image, "is_animated", False)
        if image.getexif().get(ORIENTATION, UPRIGHT) == UPRIGHT or is_animation:
            return stripped
        options = encoding_of(image, kind)
        turned = ImageOps.exif_transpose(image)
    output = BytesIO()
    turned.save(output, FORMATS[kind.extension], **options)
    return strip_picture(output.getvalue(), kind)


def encode_avif(data: bytes) -> bytes:
    """The image encoded again, without any metadata; the container stores its rotation."""
    turn, output = Image.Exif(), BytesIO()
    with open_picture(data, AVIF) as image:
        turn[ORIENTATION] = image.getexif().get(ORIENTATION, UPRIGHT)
        durations = [duration_of(frame) for frame in ImageSequence.Iterator(image)]
        image.save(output, "AVIF", save_all=True, duration=durations, exif=turn, **AVIF_ENCODING)
    return output.getvalue()


def duration_of(frame: Image.Image) -> int:
    """The duration of an animation frame in milliseconds, which is known after decoding."""
    frame.load()
    return int(frame.info.get("duration", 0))


def encoding_of(image: Image.Image, kind: FileKind) -> dict[str, object]:
    """The options to encode the image again without losing more than needed."""
    options: dict[str, object] = {"icc_profile": image.info.get("icc_profile")}
    if isinstance(image, JpegImagePlugin.JpegImageFile):
        sampling = JpegImagePlugin.get_sampling(image)
        return options | {"qtables": image.quantization, "subsampling": sampling, "optimize": True}
    return options | ({"quality": WEBP_QUALITY} if kind == WEBP else {})


def open_picture(data: bytes, kind: FileKind) -> Image.Image:
    """An image whose pixels are not decoded yet."""
    image = Image.open(BytesIO(data), formats=[FORMATS[kind.extension]])
    limit = limits.MAX_AVIF_PIXELS if kind == AVIF else limits.MAX_PICTURE_PIXELS
    if image.width * image.height > limit:
        raise PictureTooLarge(
            f"The image has {image.width:,} by {image.height:,} pixels, and {FORMATS[kind.extension]} may "
            f"have at most {limit:,}: make it smaller."
        )
    return image


def decode_all(content: bytes, kind: FileKind) -> tuple[int, int]:
    """Decode every frame; return width and height."""
    with open_picture(content, kind) as image:
        for frame in range(getattr(image, "n_frames", 1)):
            image.seek(frame)
            image.load()
        # The AVIF container rotates images by itself, which the library reports like Exif.
        is_sideways = image.getexif().get(ORIENTATION, UPRIGHT) in SIDEWAYS
        return (image.height, image.width) if is_sideways else image.size
