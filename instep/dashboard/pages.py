"""The routes of the dashboard."""

from instep.dashboard import development

routes = [*development.routes]
