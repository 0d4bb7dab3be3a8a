"""Chooses slugs of pages and collections: the source's own, if they are free."""

from collections.abc import Iterable
from urllib.parse import unquote

from instep.content.redirects.path_patterns import ANY, segments_of
from instep.platform.text.slugs import free_slug, is_slug, slugify
from instep.transfer.imports.plan.addresses import PAGE_EXTENSION, source_path
from instep.transfer.imports.tree.schemas import ImportedPage


def slug_of_page(page: ImportedPage, taken: set[str]) -> str:
    """The slug of a new article: the source's own, or from the end of its address, or from its title."""
    return first_free([page.slug, *names_in(page)], page.title, "article", taken)


def names_in(page: ImportedPage) -> Iterable[str]:
    """The last segment of the address, then the last two, which distinguish pages with the same name."""
    if page.address is None or ANY in page.address:
        return []
    segments = [unquote(part) for part in segments_of(PAGE_EXTENSION.sub("", source_path(page.address)))]
    # A number alone is less descriptive than the title.
    if segments and segments[-1].isdigit():
        return []
    return ["-".join(segments[-count:]) for count in (1, 2) if len(segments) >= count]


def first_free(names: Iterable[str | None], title: str, fallback: str, taken: set[str]) -> str:
    """Reserve the first name that is free as a slug; if none is, the first name with a number."""
    slugs = [slug for name in names if name and (slug := slugify(name, ""))]
    slugs = slugs or [slugify(title, fallback)]
    free = (slug for slug in slugs if slug not in taken and is_slug(slug))
    slug = next(free, "") or free_slug(slugs[0], taken)
    taken.add(slug)
    return slug
