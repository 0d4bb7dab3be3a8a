"""Cleans SVG logos with an allow list of elements, attributes and styles; refuses anything active or loading.

A cleaned SVG refers only to itself, has no scripts, animations, embedded pages or images, and can't
repeat parts of itself, so that rendering costs no more than its size.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element, SubElement, tostring
from xml.parsers.expat import ExpatError, ParserCreate

from instep.content.files.kinds import UnsupportedType
from instep.platform.core import limits

NAMESPACE = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
# The parser's separator between namespace and name.
SEPARATOR = " "
GRADIENTS = frozenset(("linearGradient", "radialGradient"))
# Parts that others refer to; they must not contain such references themselves, which would multiply the work.
CLIPS = frozenset(("clipPath", "mask"))
SHAPES = frozenset(("path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan"))
ELEMENTS = SHAPES | GRADIENTS | CLIPS | {"svg", "g", "defs", "stop", "style", "title", "desc"}
# Elements whose text is kept.
TEXTS = frozenset(("style", "title", "desc", "text", "tspan"))
# Data of drawing programs, which is left out.
LEFT_OUT = frozenset(("metadata",))
PRESENTATION = frozenset((
    *("fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap"),
    *("stroke-linejoin", "stroke-miterlimit", "stroke-dasharray", "stroke-dashoffset", "color", "opacity"),
    *("stop-color", "stop-opacity", "clip-rule", "clip-path", "mask", "mask-type", "transform", "display"),
    *("visibility", "font-family", "font-size", "font-weight", "font-style", "letter-spacing", "text-anchor"),
    *("dominant-baseline", "isolation", "mix-blend-mode", "vector-effect", "paint-order", "shape-rendering"),
))  # fmt: skip
GEOMETRY = frozenset((
    *("viewBox", "preserveAspectRatio", "width", "height", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r"),
    *("rx", "ry", "fx", "fy", "fr", "dx", "dy", "d", "points", "offset", "gradientUnits", "spreadMethod"),
    *("gradientTransform", "clipPathUnits", "maskUnits", "maskContentUnits", "pathLength", "rotate"),
))  # fmt: skip
ATTRIBUTES = PRESENTATION | GEOMETRY | {"id", "class"}
REFERENCE = re.compile(r"""url\(["']?#([\w.-]+)""")
REFERRING = frozenset(("clip-path", "mask", "class", "style"))
FRAGMENT = re.compile(r"#[\w.-]{1,200}")
# Numbers, names, colors and positions; no URL but `url(#part)`.
FUNCTION = "rgba?|hsla?|matrix|translate|scale|rotate|skewX|skewY"
VALUE = re.compile(rf"""(?:(?:{FUNCTION})\s?\(|url\(["']?#[\w.-]{{1,200}}["']?\)|[\w\s.,%#)+'"-])*""")
RULE = re.compile(r"\s*(\.[\w-]+(?:\s*,\s*\.[\w-]+)*)\s*\{([^{}]*)\}\s*")
COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
EVENT = re.compile("on", re.IGNORECASE)
BEGIN = re.compile(rb"<svg[\s/>]")
BEGIN_BYTES = 4096


def is_svg(data: bytes) -> bool:
    """True if the bytes look like SVG, whatever their name."""
    return BEGIN.search(data[:BEGIN_BYTES]) is not None


def clean_svg(data: bytes) -> bytes:
    """The drawing reduced to the allow list; raises `UnsupportedType`, which names what it refuses."""
    if len(data) > limits.MAX_SVG_BYTES:
        raise UnsupportedType(f"The SVG is larger than {limits.MAX_SVG_BYTES} bytes: choose a PNG instead.")
    cleaner = Cleaner()
    parser = ParserCreate(namespace_separator=SEPARATOR)
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = refuse_definitions
    parser.StartElementHandler = cleaner.start
    parser.EndElementHandler = cleaner.end
    parser.CharacterDataHandler = cleaner.add_text
    try:
        parser.Parse(data, True)
    except (ExpatError, LookupError, ValueError):
        raise UnsupportedType("This SVG can't be read: export it again, or choose a PNG.") from None
    for style in cleaner.root.iter("style"):
        style.text = clean_rules(style.text or "")
    if clipped_bytes(cleaner.root) > limits.MAX_SVG_CLIPPED_BYTES:
        raise refused("large clips or masks that many parts use")
    content: bytes = tostring(cleaner.root, encoding="utf-8")
    return content


def refuse_definitions(name: str, system: str | None, public: str | None, has_definitions: int) -> None:
    if has_definitions:
        raise refused("definitions of its own in `<!DOCTYPE>`")


def refused(what: str) -> UnsupportedType:
    return UnsupportedType(
        f"The SVG has {what}, which is not allowed in a logo: export it as plain SVG, or choose a PNG."
    )


class Cleaner:
    """Builds the clean drawing while a parser reads the original; `path` has the open elements."""

    def __init__(self) -> None:
        self.root = Element("svg", {"xmlns": NAMESPACE})
        # None: the element is left out with its content.
        self.path: list[Element | None] = []
        self.count = 0

    def start(self, full_name: str, attributes: Mapping[str, str]) -> None:
        namespace, _, name = full_name.rpartition(SEPARATOR)
        self.count += 1
        if self.count > limits.MAX_SVG_ELEMENTS or len(self.path) >= limits.MAX_SVG_LEVELS:
            raise refused("too many parts")
        parent = self.path[-1] if self.path else None
        is_foreign = namespace != NAMESPACE or name in LEFT_OUT
        if not self.path and full_name != f"{NAMESPACE}{SEPARATOR}svg":
            raise refused("another root than `<svg>` of SVG's namespace")
        if self.path and (parent is None or is_foreign):
            self.path.append(None)
            return
        if name not in ELEMENTS or (self.path and name == "svg"):
            raise refused(f"a part `<{name[:40]}>`")
        clean_attributes = dict(filter(None, (self.attribute(name, *pair) for pair in attributes.items())))
        if parent is None:
            self.root.attrib.update(clean_attributes)
        self.path.append(self.root if parent is None else SubElement(parent, name, clean_attributes))

    def attribute(self, element: str, full_name: str, value: str) -> tuple[str, str] | None:
        """The attribute to keep; None drops it."""
        namespace, _, name = full_name.rpartition(SEPARATOR)
        if EVENT.match(name) and not namespace:
            raise refused(f"an attribute `{name[:40]}`")
        if name == "href" and namespace in ("", XLINK) and element in GRADIENTS:
            return ("href", value) if FRAGMENT.fullmatch(value) else None
        if namespace or (name in REFERRING and self.is_in_clip):
            return None
        if name == "style":
            return name, clean_declarations(value)
        return (name, value) if name in ATTRIBUTES and VALUE.fullmatch(value) else None

    @property
    def is_in_clip(self) -> bool:
        return any(element is not None and element.tag in CLIPS for element in self.path)

    def end(self, name: str) -> None:
        self.path.pop()

    def add_text(self, text: str) -> None:
        parent = self.path[-1]
        if parent is None or parent.tag not in TEXTS:
            return
        if len(parent):
            parent[-1].tail = (parent[-1].tail or "") + text
        else:
            parent.text = (parent.text or "") + text


def clipped_bytes(drawing: Element) -> int:
    """The bytes of all clips and masks, each counted as often as it is used."""
    sizes = Counter[str]()
    for part in drawing.iter():
        if part.tag in CLIPS:
            sizes[part.get("id", "")] += len(tostring(part))
    bytes_of_class = Counter[str]()
    for style in drawing.iter("style"):
        for rule in rules_of(style.text or ""):
            used_bytes = bytes_used(rule[2], sizes)
            bytes_of_class.update(dict.fromkeys(re.findall(r"[\w-]+", rule[1]), used_bytes))
    return sum(
        bytes_used(" ".join(part.get(name, "") for name in ("clip-path", "mask", "style")), sizes)
        + sum(bytes_of_class[name] for name in part.get("class", "").split())
        for part in drawing.iter()
    )


def bytes_used(css: str, sizes: Mapping[str, int]) -> int:
    return sum(sizes.get(name, 0) for name in REFERENCE.findall(css))


def clean_rules(css: str) -> str:
    """The class rules, with allowed declarations only; anything else is refused."""
    css = COMMENT.sub("", css)
    rules = list(rules_of(css))
    if css[rules[-1].end() if rules else 0 :].strip():
        raise refused("styles of other things than classes")
    return "".join(f"{rule[1]}{{{clean_declarations(rule[2])}}}" for rule in rules)


def rules_of(css: str) -> Iterator[re.Match[str]]:
    """The class rules up to the first one that is something else."""
    end = 0
    while rule := RULE.match(css, end):
        yield rule
        end = rule.end()


def clean_declarations(css: str) -> str:
    pairs = (declaration.partition(":") for declaration in css.split(";"))
    names = ((name.strip(), value.strip()) for name, _, value in pairs)
    return ";".join(
        f"{name}:{value}" for name, value in names if name in PRESENTATION and VALUE.fullmatch(value)
    )
