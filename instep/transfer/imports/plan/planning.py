"""Plans an import from a tree, the files of the source, and the bot's existing content; pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from instep.content.redirects.path_patterns import REST, WRITTEN_REST, normal_path, prefix_path
from instep.platform.core import limits
from instep.platform.text.characters import shorten, shows_something
from instep.transfer.imports.plan.addresses import Directory, SourceTarget, directory_of, source_path
from instep.transfer.imports.plan.moved_pages import find_moves, heirs_of, with_present_keys
from instep.transfer.imports.plan.ordering import moved_keys
from instep.transfer.imports.plan.placing import Places, locales_of_pages, place_on_levels
from instep.transfer.imports.plan.plan_report import fill_report, grouped
from instep.transfer.imports.plan.renumbering import with_known_keys, with_own_names
from instep.transfer.imports.plan.rewriting import PageRewriter
from instep.transfer.imports.plan.site_addresses import SiteAddresses, first_free, redirect_url, slug_of_page
from instep.transfer.imports.schemas import (
    AbsentOutcome,
    AbsentPage,
    BotState,
    Facts,
    ImportReport,
    KnownCollection,
    KnownEntry,
    Outcome,
    Plan,
    PlannedCollection,
    PlannedEntry,
    PlannedPage,
    PlannedPart,
    PlannedRedirect,
    PlannedText,
)
from instep.transfer.imports.tree.own_sites import own_sites
from instep.transfer.imports.tree.schemas import (
    ImportedCollection,
    ImportedEntry,
    ImportedPage,
    ImportedPart,
    ImportedRedirect,
    Loss,
    SourceFiles,
    Tree,
)

# The title of a page without one.
UNTITLED = "Untitled"
# A path of the source, and its target: the key of a page, or a URL.
FormerAddress = tuple[str, str | None, str | None]


@dataclass(slots=True)
class Planner:
    """Plans the import of one tree; `locales` are by page key, and losses are added to `losses`."""

    tree: Tree
    state: BotState
    places: Places
    directory: Directory
    locales: Mapping[str, str]
    losses: list[Loss] = field(default_factory=list)

    def is_first_import(self) -> bool:
        return not (self.state.pages or self.state.collections or self.state.entries)

    def title_of(self, title: str, path: str) -> str:
        """A title in a form that can be stored; cutting it is recorded as a loss."""
        if not shows_something(storable(title)):
            return UNTITLED
        return self.shortened(title, limits.MAX_TITLE_CHARACTERS, "title", path)

    def description_of(self, text: str | None, path: str) -> str | None:
        return self.shortened(text or "", limits.MAX_DESCRIPTION_CHARACTERS, "description", path) or None

    def shortened(self, text: str, max_characters: int, name: str, path: str) -> str:
        words = " ".join(storable(text).split())
        if len(words) > max_characters:
            self.losses.append(Loss(path, f"{name} that is too long, cut at the end: {words}"))
        return shorten(words, max_characters, at_word=True)

    def originals(self) -> dict[str, str | None]:
        """The key of each page's original; a page that can't be a translation becomes a separate article."""
        keys = {page.key: page for page in self.tree.pages}
        taken = set(self.locales.items())
        originals: dict[str, str | None] = {}
        for page in self.tree.pages:
            root = keys.get(page.translation_of or "")
            if root is not None and root.translation_of is not None:
                root = keys.get(root.translation_of)
            place_of_text = (root.key, self.locales[page.key]) if root else None
            if page.translation_of is None or root is None or place_of_text in taken:
                originals[page.key] = None
                if page.translation_of is not None:
                    self.losses.append(
                        Loss(
                            page.path, f"translation of {page.translation_of}, imported as a separate article"
                        )
                    )
                continue
            taken.add((root.key, self.locales[page.key]))
            originals[page.key] = root.key
        return originals

    def slugs(self) -> dict[str, tuple[str, str]]:
        """The language and slug of each page, by its key; existing articles keep theirs."""
        taken = {locale: set(slugs) for locale, slugs in self.state.slugs.items()}
        slugs: dict[str, tuple[str, str]] = {}
        for page in self.tree.pages:
            if (earlier := self.state.pages.get(page.key)) is not None:
                slugs[page.key] = self.locales[page.key], earlier.slug
        for page in self.tree.pages:
            if page.key not in slugs:
                locale = self.locales[page.key]
                slugs[page.key] = locale, slug_of_page(page, taken.setdefault(locale, set()))
        return slugs

    def collection_slugs(self) -> dict[str, str]:
        """The slug of each collection, by its key; a merged collection has its parent's slug."""
        rows = [collection for collection, _ in self.places.collections]
        slugs = kept_slugs(rows, self.state.collections, "collection", self.state.collection_slugs)
        return {key: slugs[home] for key, home in self.places.homes.items()}

    def addresses(self) -> SiteAddresses:
        return SiteAddresses(
            self.state.bot_slug,
            self.state.bot_locale,
            self.slugs(),
            self.collection_slugs(),
            kept_slugs(self.tree.entries, self.state.entries, "entry", self.state.entry_slugs),
            has_changelog=bool(self.tree.entries or self.state.entry_slugs),
            sections=frozenset(self.sections()),
        )

    def sections(self) -> Iterator[tuple[str | None, str]]:
        """The collections, and None for the home page, with each language in which they list a page."""
        parents = {collection.key: parent for collection, parent in self.places.collections}
        live_pages = [page for page in self.tree.pages if page.status == "published"]
        for collection, locale in {(page.collection, self.locales[page.key]) for page in live_pages}:
            key = self.places.home_of(collection)
            while key is not None:
                yield key, locale
                key = parents[key]
            yield None, locale

    def page(
        self, page: ImportedPage, original: str | None, slug: tuple[str, str], text: PlannedText
    ) -> PlannedPage:
        root = self.directory.by_key[original] if original else page
        home = self.places.home_of(page.collection or root.collection)
        planned = PlannedPage(
            page=page,
            title=self.title_of(page.title, page.path),
            description=self.description_of(page.description, page.path),
            locale=slug[0],
            slug=slug[1],
            collection=home,
            position=self.places.positions.get(root.key) if home is not None else None,
            original_key=original,
            text=text,
            earlier=self.state.pages.get(page.key),
            outcome="created",
        )
        return replace(planned, outcome=outcome_of_page(planned))

    def collections(self, pages: list[PlannedPage], slugs: Mapping[str, str]) -> Iterator[PlannedCollection]:
        """The collections to create or change; a later import creates only those that it needs."""
        needed = needed_collections(self.places, pages)
        orders = orders_of(pages)
        for collection, parent in self.places.collections:
            earlier = self.state.collections.get(collection.key)
            order = orders.get(collection.key, [])
            title = self.title_of(collection.title, collection.key)
            planned = PlannedCollection(
                collection=collection,
                title=title,
                description=self.description_of(collection.description, collection.key),
                slug=slugs[collection.key],
                parent=parent,
                order=tuple(order),
                moved=moved_keys(earlier.order if earlier else [], order),
                earlier=earlier,
                outcome="created",
            )
            if earlier is not None:
                is_changed = changed_facts(earlier.facts, planned.facts) or self.is_reordered(planned)
                yield replace(planned, outcome="updated" if is_changed else "unchanged")
            elif self.is_first_import() or collection.key in needed:
                yield planned

    def is_reordered(self, planned: PlannedCollection) -> bool:
        """True if pages that were already in the collection changed their order."""
        earlier = (self.state.pages.get(key) for key in planned.moved)
        return any(page and page.facts.get("collection") == planned.collection.key for page in earlier)

    def entry(self, entry: ImportedEntry, slug: str, text: PlannedText) -> PlannedEntry:
        earlier = self.state.entries.get(entry.key)
        outcome: Outcome = "created"
        if earlier is not None:
            changed: Outcome = "kept_here" if earlier.is_changed_here else "updated"
            outcome = "unchanged" if earlier.digest == text.digest else changed
        return PlannedEntry(entry, self.title_of(entry.title, entry.path), slug, text, earlier, outcome)

    def redirects(
        self, collections: Iterable[PlannedCollection], addresses: SiteAddresses
    ) -> Iterator[PlannedRedirect]:
        """Redirects from every current and former address of the source, each once."""
        seen = set[str]()
        paths_of_collections = self.paths_of_collections(collections, addresses)
        for path, key, url in chain(self.former_paths(addresses), paths_of_collections):
            try:
                is_prefix = path.endswith(REST) and (url or "").endswith(WRITTEN_REST)
                path = path if is_prefix else normal_path(path)
            except ValueError as error:
                # The root path of a site can't be redirected.
                if path.strip("/"):
                    self.losses.append(Loss(storable(path), f"old address that can't be redirected: {error}"))
                continue
            if path in seen:
                continue
            seen.add(path)
            yield PlannedRedirect(path, key, url)
            answer = addresses.answer_at(path)
            if answer and (url != self.state.help_url + path if key is None else key != answer.page_key):
                what = f"old address that can't be redirected: the help center has {answer.name} there"
                self.losses.append(Loss(path, what))

    def paths_of_collections(
        self, collections: Iterable[PlannedCollection], addresses: SiteAddresses
    ) -> Iterator[FormerAddress]:
        """Redirects from the addresses of the resulting collections."""
        keys = {planned.collection.key for planned in collections}
        for collection in self.tree.collections:
            if self.places.home_of(collection.key) not in keys:
                continue
            target = SourceTarget("other_page", other_page=collection)
            url = self.url_of(addresses.of_other_page(target))
            for address in collection.addresses:
                paths = self.directory.with_bases(source_path(address), is_page=True)
                yield from ((path, None, url) for path in paths)

    def url_of(self, address: str) -> str:
        """The full URL of an address of the help center, as stored in redirects."""
        return self.state.help_url + address.removeprefix(f"/help/{self.state.bot_slug}")

    def former_paths(self, addresses: SiteAddresses) -> Iterator[FormerAddress]:
        present = ((page.key, page.address) for page in self.tree.pages if page.address)
        former = ((page.key, address) for page in self.tree.pages for address in page.former_addresses)
        # A page's current address has priority over other pages' former ones.
        for page_key, address in chain(present, former):
            paths = self.directory.with_bases(source_path(address), is_page=True)
            yield from ((path, page_key, None) for path in paths)
        for base in self.directory.bases:
            yield base, None, self.state.help_url + "/"
        for redirect in self.tree.redirects:
            yield from (
                self.prefix_paths(redirect)
                if redirect.is_prefix
                else self.redirected_paths(redirect, addresses)
            )

    def redirected_paths(
        self, redirect: ImportedRedirect, addresses: SiteAddresses
    ) -> Iterator[FormerAddress]:
        """The redirects for a redirect in the source, if its target is allowed."""
        path = source_path(redirect.source)
        target = self.directory.redirect_target(path, "")
        if target is None:
            self.losses.append(
                Loss(storable(path), f"redirect to a page that doesn't exist: {storable(redirect.target)}")
            )
            return
        key = target.page.key if target.page else None
        url = self.state.help_url + "/" if target.kind == "home" else None
        if target.other_page:
            url = self.url_of(addresses.of_other_page(target))
        if target.url is not None:
            url = self.redirect_url_of(path, target.url)
        if key or url:
            yield from ((with_base, key, url) for with_base in self.directory.with_bases(path))

    def prefix_paths(self, redirect: ImportedRedirect) -> Iterator[FormerAddress]:
        """The redirects for a prefix redirect in the source, to this site or another."""
        path, target = source_path(redirect.source), redirect.target
        on_site = self.directory.path_on_site(target) if "://" in target else source_path(target)
        url = self.redirect_url_of(path, target if on_site is None else self.state.help_url + on_site)
        for with_base in self.directory.with_bases(path) if url else ():
            try:
                yield prefix_path(with_base), None, url
            except ValueError as error:
                self.losses.append(Loss(storable(path), f"redirect: {error}"))

    def redirect_url_of(self, path: str, url: str) -> str | None:
        """A URL in the form stored in redirects; None, and a recorded loss, if it is not allowed."""
        try:
            return redirect_url(url)
        except ValueError as error:
            self.losses.append(Loss(storable(path), f"redirect to {storable(url)}: {error}"))
            return None


def plan(
    tree: Tree,
    files: SourceFiles,
    state: BotState,
    source: str,
    *,
    site: str | None = None,
    prunes: bool = False,
) -> Plan:
    """Plan the import of a tree into a bot with this state, without changing anything.

    `site` is the address of the source's site; with `prunes`, articles that the source no longer has are
    archived.
    """
    tree = with_known_keys(without_repeated_keys(with_sites(tree, site or state.site)), state)
    tree = with_own_names(tree, state)
    directory = directory_of(tree, files.paths())
    heirs = heirs_of(tree, state, directory)
    moved = find_moves(tree, state, heirs)
    state = with_present_keys(state, moved)
    losses: list[Loss] = []
    locales = locales_of_pages(tree, state, losses)
    planner = Planner(tree, state, place_on_levels(tree), directory, locales, losses)
    addresses = planner.addresses()
    rewriter = PageRewriter(directory, files, addresses)
    originals = planner.originals()
    pages = [
        planner.page(page, originals[page.key], addresses.pages[page.key], rewriter.text_of(page, page.title))
        for page in tree.pages
    ]
    # Originals come before their translations, which refer to them.
    pages.sort(key=lambda page: page.original_key is not None)
    collections = list(planner.collections(pages, addresses.collections))
    entries = [
        planner.entry(
            entry, addresses.entries[entry.key], rewriter.text_of(page_of(entry, tree), entry.title)
        )
        for entry in tree.entries
    ]
    parts = [planned_part(part, state, rewriter.text_of(page_of_part(part, tree))) for part in tree.parts]
    redirects = list(planner.redirects(collections, addresses))
    report = ImportReport(tree.format, source, links=rewriter.links, files=rewriter.counts)
    report.moved = list(moved)
    report.absent_pages = list(absent_pages_of(tree, state, heirs, prunes=prunes))
    archives = unopened_archives(directory.file_paths - rewriter.source_files.keys())
    losses = [*tree.losses, *planner.places.losses, *planner.losses, *rewriter.losses, *archives]
    report.losses = grouped(losses)
    planned = Plan(
        *(tree, source, tuple(collections), tuple(pages), tuple(entries), tuple(redirects), report),
        parts=tuple(parts),
    )
    fill_report(planned, state)
    return planned


def planned_part(part: ImportedPart, state: BotState, text: PlannedText) -> PlannedPart:
    locale = part.locale or state.bot_locale
    earlier = state.parts.get((part.reference, locale))
    return PlannedPart(part, locale, text, "created" if earlier is None else earlier.outcome(text))


def unopened_archives(paths: Iterable[str]) -> list[Loss]:
    """Report archives that no text links to, because they are left out."""
    archives = sorted(path for path in paths if path.lower().endswith(".zip"))
    return [Loss(path, "archive inside the source: unpack it and import its contents") for path in archives]


def with_sites(tree: Tree, site: str | None) -> Tree:
    """The tree with the given site, or with the sites that its texts link to."""
    if site is not None:
        return replace(tree, sites=(site, *tree.sites))
    is_known = any("://" in known_site for known_site in tree.sites)
    return tree if is_known else replace(tree, sites=(*tree.sites, *own_sites(tree.pages)))


def absent_pages_of(
    tree: Tree, state: BotState, heirs: Mapping[str, str], *, prunes: bool
) -> Iterator[AbsentPage]:
    """The articles whose pages the source no longer has, except archived ones."""
    keys = {page.key for page in tree.pages}
    for row in state.pages.values():
        if row.key in keys or row.is_deleted or row.status == "archived":
            continue
        outcome: AbsentOutcome = "archived" if prunes else "stays"
        if row.is_changed_here or row.status == "in_review":
            outcome = "changed_here"
        yield AbsentPage(row.key, row.article_id, row.slug, row.title, outcome, heirs.get(row.key))


def without_repeated_keys(tree: Tree) -> Tree:
    """The tree without pages and collections with a repeated key, which are recorded as losses."""
    losses: list[Loss] = []
    pages: dict[str, ImportedPage] = {}
    for page in tree.pages:
        if pages.setdefault(page.key, page) is not page:
            losses.append(Loss(page.path, f"page with the same key as another: {page.key}"))
    collections = {row.key: row for row in reversed(tree.collections)}
    entries = {row.key: row for row in reversed(tree.entries)}
    return replace(
        tree,
        pages=tuple(pages.values()),
        collections=tuple(reversed(collections.values())),
        entries=tuple(reversed(entries.values())),
        losses=(*tree.losses, *losses),
    )


def outcome_of_page(page: PlannedPage) -> Outcome:
    earlier = page.earlier
    if earlier is None:
        return "created"
    if earlier.is_deleted:
        return "deleted_here"
    if earlier.digest != page.text.digest:
        return "draft" if earlier.is_changed_here else "updated"
    is_back = bool(earlier.facts.get("pruned"))
    return "updated" if is_back or changed_facts(earlier.facts, page.facts) else "unchanged"


def changed_facts(before: Facts, after: Facts) -> dict[str, object]:
    """The values in the source, except the text, that changed since the last import."""
    return {name: value for name, value in after.items() if before.get(name) != value}


def orders_of(pages: list[PlannedPage]) -> dict[str, list[str]]:
    """The page keys of each collection, in order; translations are positioned with their originals."""
    orders: dict[str, list[str]] = {}
    for page in pages:
        if page.collection is not None and page.original_key is None:
            orders.setdefault(page.collection, []).append(page.page.key)
    return orders


def needed_collections(places: Places, pages: list[PlannedPage]) -> set[str]:
    """The collections of new or moved pages, and their parents."""
    parents = {collection.key: parent for collection, parent in places.collections}
    needed = set[str]()
    for page in pages:
        is_placed = page.earlier is None or page.earlier.facts.get("collection") != page.collection
        key = page.collection if is_placed else None
        while key is not None and key not in needed:
            needed.add(key)
            key = parents[key]
    return needed


def storable(text: str) -> str:
    """A text of the source in a form that a report can store."""
    return text.replace("\0", "")


def kept_slugs(
    rows: Iterable[ImportedCollection | ImportedEntry],
    earlier_rows: Mapping[str, KnownCollection] | Mapping[str, KnownEntry],
    fallback: str,
    taken: Iterable[str],
) -> dict[str, str]:
    """The slug of each row, by its key; existing rows keep theirs."""
    reserved = set(taken)
    slugs: dict[str, str] = {}
    for row in rows:
        earlier = earlier_rows.get(row.key)
        slugs[row.key] = earlier.slug if earlier else first_free([row.slug], row.title, fallback, reserved)
    return slugs


def page_of_part(part: ImportedPart, tree: Tree) -> ImportedPage:
    """A part as a page, to rewrite its links."""
    locale = part.locale or tree.locale
    return ImportedPage(f"part {part.reference} {locale}", part.path, part.name, part.text, locale)


def page_of(entry: ImportedEntry, tree: Tree) -> ImportedPage:
    """An entry as a page, to rewrite its links."""
    return ImportedPage(f"entry {entry.key}", entry.path, entry.title, entry.markdown, tree.locale)
