"""Syncs positions: order and collections of articles to the files, and the order of the files to Instep.

Each file keeps its form: a number in its front matter or at the start of its name, and the folder of its
collection. If a configuration file of the repository sets the order, it is not rewritten; moves are only
reported.
"""

from dataclasses import dataclass

from instep.content.articles.overviews import set_positions
from instep.transfer.exports.file_contents import NO_COLLECTION, ORDER_PREFIX
from instep.transfer.exports.page_file import with_value
from instep.transfer.git_sync import queries
from instep.transfer.git_sync.file_places import (
    common_key,
    file_place,
    number_of_name,
    order_key,
    renumbered,
    with_number,
)
from instep.transfer.git_sync.moves import Moves, present_paths
from instep.transfer.git_sync.new_files import folder_for
from instep.transfer.git_sync.orders import KnownOrder, MergedOrder, merge_orders, new_numbers, refill
from instep.transfer.git_sync.work import SyncWork
from instep.transfer.imports.plan.ordering import moved_keys, new_positions
from instep.transfer.imports.schemas import ArticlePlace

HAS_MOVED = "its article was moved in Instep."
HAS_NUMBER = "The file now has the position of its article in Instep."
TWO_ORDERS = "Git and Instep have different orders: Instep's order is kept, and git's history has the other."


async def sync_places(work: SyncWork) -> None:
    moves = Moves.of(work)
    move_to_collections(work, moves)
    orders: dict[str, list[ArticlePlace]] = {}
    for place in await queries.list_positions(work.ctx):
        orders.setdefault(place.collection_id or NO_COLLECTION, []).append(place)
    sides = OrderSides.of(work)
    for collection, present in sorted(orders.items()):
        await CollectionOrder(work, moves, sides, collection, present).sync()
    work.orders = {key: order for key, order in work.orders.items() if key in orders}
    moves.write()


def move_to_collections(work: SyncWork, moves: Moves) -> None:
    """Move files into the folder of their article's new collection; translations follow originals."""
    for path in [path for path in sorted(work.misplaced_paths) if not moves.is_open(path)]:
        if path in moves.paths:
            continue
        values = work.rows[path].next_article_values or {}
        new = new_path(work, moves, path, values.get("collection"))
        if new is None or not moves.plan(path, new, HAS_MOVED):
            slug = work.folders.slugs_by_id.get(values.get("collection") or "", NO_COLLECTION)
            file = with_value(moves.page_of(path).file, "collection", slug)
            moves.edit(path, file.text, "The file now has the collection of its article in Instep.")


def new_path(work: SyncWork, moves: Moves, path: str, collection: str | None) -> str | None:
    """The path at the end of the collection's folder; None if the file must stay."""
    is_elsewhere = collection in work.ids_elsewhere and work.folders.folder_of(collection or "") is None
    if is_elsewhere or not moves.are_free(moves.group_of(path)):
        return None
    folder = folder_for(work, collection if collection != NO_COLLECTION else None, moves.taken)
    name = path.rpartition("/")[2]
    if order_key(moves.page_of(path)) is None:
        name = moves.taken.next_name(folder, ORDER_PREFIX.sub("", name))
    return folder + name


@dataclass(frozen=True, slots=True)
class OrderSides:
    """Both sides' positions of all articles: their files, and each collection's order before the sync."""

    paths: dict[str, str]
    instep_ids: dict[str, list[str]]
    common_key: str

    @classmethod
    def of(cls, work: SyncWork) -> "OrderSides":
        there = set(present_paths(work))
        rows = [(path, row) for path, row in work.rows.items() if row.kind == "article" and path in there]
        instep_ids: dict[str, list[str]] = {}
        for article in work.articles.values():
            if article.translation_of is None:
                instep_ids.setdefault(article.collection_id or NO_COLLECTION, []).append(article.id)
        paths = {row.resource_id: path for path, row in rows}
        return cls(paths, instep_ids, common_key(work.pages.values()))


@dataclass(slots=True)
class CollectionOrder:
    """The order of one collection; `present` is Instep's order, including articles that this sync created."""

    work: SyncWork
    moves: Moves
    sides: OrderSides
    collection: str
    present: list[ArticlePlace]

    async def sync(self) -> None:
        paths = self.paths()
        order = self.work.orders.get(self.collection, KnownOrder())
        if order.next is not None and self.work.advanced_ids & set(order.written):
            order.advance()
        instep_ids = self.sides.instep_ids.get(self.collection, [])
        merged = merge_orders(order.base, instep_ids, self.git_ids(paths), self.ids())
        await self.place_articles(merged.ids)
        members = [id for id in merged.ids if id in paths]
        if self.place_files(paths, members, merged, order):
            self.work.orders[self.collection] = KnownOrder(members)
        elif order.base is not None or order.next is not None:
            self.work.orders[self.collection] = order

    def ids(self) -> list[str]:
        return [place.id for place in self.present]

    def paths(self) -> dict[str, str]:
        """The files of the collection's articles, by their ids."""
        paths = self.sides.paths
        return {id: paths[id] for id in self.ids() if id in paths}

    def git_ids(self, paths: dict[str, str]) -> list[str]:
        """The ids in the order of git, for files with a position in git."""
        pages = self.work.pages
        there = {id: path for id, path in paths.items() if path in pages and path not in self.moves.paths}
        places = {id: place for id, path in there.items() if (place := file_place(pages[path])) is not None}
        return sorted(places, key=lambda id: (places[id], there[id]))

    async def place_articles(self, ids: list[str]) -> None:
        """Set the order of git in Instep."""
        before, work = self.ids(), self.work
        if before == ids:
            return
        await set_positions(
            work.ctx, new_positions(ids, {place.id: place.position for place in self.present})
        )
        paths = self.paths()
        for id in moved_keys(before, ids):
            if id in paths:
                work.sync.report_more(
                    paths[id],
                    "updated",
                    "The article now has the position of its file in git.",
                    article_id=id,
                )

    def place_files(
        self, paths: dict[str, str], members: list[str], merged: MergedOrder, order: KnownOrder
    ) -> bool:
        """Write the order to the files; return True if they already had it."""
        numbers = {id: self.number_of(paths[id]) for id in members}
        keyed = {id: number for id, number in numbers.items() if number is not None}
        in_git = sorted(keyed, key=lambda id: (keyed[id], self.moves.paths.get(paths[id], paths[id])))
        is_right = in_git == [id for id in members if id in keyed]
        if is_right and not (merged.is_moved_in_instep and len(keyed) < len(members)):
            return True
        if not keyed and self.work.navigation is not None:
            self.report_navigation(paths, members, order)
            return True
        changes = new_numbers(members, numbers)
        if not self.moves.are_free([path for id in changes for path in self.moves.group_of(paths[id])]):
            # Until the files are free, their order in git is not anyone's choice.
            order.base = refill(members, in_git)
            return False
        for id, number in changes.items():
            self.place_file(paths[id], number, TWO_ORDERS if merged.is_conflict else None)
        order.next, order.written = members, list(changes)
        self.work.orders[self.collection] = order
        return False

    def number_of(self, path: str) -> int | None:
        """The number of the file at its new path."""
        page = self.moves.page_of(path)
        if order_key(page) is not None:
            return file_place(page)
        return number_of_name(self.moves.paths.get(path, path))

    def place_file(self, path: str, number: int, conflict: str | None) -> None:
        moves, page = self.moves, self.moves.page_of(path)
        key, target = order_key(page), moves.paths.get(path, path)
        reason = conflict or HAS_NUMBER
        if key is None and number_of_name(target) is not None:
            message = f"{HAS_MOVED} {conflict}" if conflict else HAS_MOVED
            if moves.plan(path, renumbered(target, number), message):
                return
        moves.edit(path, with_number(page.file, key or self.sides.common_key, number).text, reason)

    def report_navigation(self, paths: dict[str, str], members: list[str], order: KnownOrder) -> None:
        """Report articles moved in Instep: the order is in a configuration file, which is never rewritten."""
        message = (
            f"The article was moved in Instep, but {self.work.navigation} sets the order: move it there too."
        )
        for id in moved_keys(order.base or [], members):
            if id in (order.base or []):
                self.work.sync.report_more(paths[id], "kept", message, article_id=id)
