"""Imports trees in tests, with a database but without the separate process that parses untrusted files."""

from dataclasses import dataclass

from instep.content.files.storage import open_storages
from instep.platform.core.config import settings
from instep.platform.core.database import Database
from instep.platform.identity.job_context import job_context
from instep.platform.identity.queries import find_bot
from instep.platform.identity.schemas import Actor
from instep.transfer.imports import actions, queries
from instep.transfer.imports.plan.planning import plan
from instep.transfer.imports.schemas import ImportReport, Plan
from instep.transfer.imports.tree.schemas import SourceFiles, Tree
from instep.transfer.imports.write.running import ImportRun, run_plan
from tests.support.cast import Company
from tests.support.import_sources import NO_FILES, SOURCE

IMPORTER = Actor("command", "importer", can_write=True)


@dataclass(frozen=True, slots=True)
class Importer:
    """Imports trees into a company's bot."""

    database: Database
    company: Company

    @property
    def payload(self) -> dict[str, str]:
        return {"workspace": self.company.workspace_id, "bot": str(self.company.bot_id)}

    async def plan(
        self, tree: Tree, files: SourceFiles = NO_FILES, *, site: str | None = None, prunes: bool = False
    ) -> Plan:
        async with job_context(self.database, self.payload, IMPORTER) as ctx:
            state = await queries.find_state(ctx, SOURCE, [page.key for page in tree.pages])
        return plan(tree, files, state, SOURCE, site=site, prunes=prunes)

    async def bring(
        self, tree: Tree, files: SourceFiles = NO_FILES, *, site: str | None = None, prunes: bool = False
    ) -> ImportReport:
        """Import a tree as the command does, and return the report."""
        planned = await self.plan(tree, files, site=site, prunes=prunes)
        if planned.report.changes_nothing:
            return planned.report
        run = await self.begin(planned, files)
        report = await run_plan(run)
        async with job_context(self.database, self.payload, IMPORTER) as ctx, ctx.tx.transaction():
            await actions.end_by_command(ctx, run.import_id, report)
        return report

    async def begin(self, planned: Plan, files: SourceFiles = NO_FILES) -> ImportRun:
        async with job_context(self.database, self.payload, IMPORTER) as ctx, ctx.tx.transaction():
            row = await actions.begin_by_command(ctx, "docs", "plain", planned.source, planned.total)
            bot = await find_bot(ctx.tx, self.company.bot_id)
        storage = open_storages(settings(), self.database).for_new_files
        return ImportRun(
            *(self.database, storage, bot, IMPORTER, row.id, planned, files),
            tell=lambda done, total: None,
        )
