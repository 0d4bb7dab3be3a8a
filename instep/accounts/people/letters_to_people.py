"""The emails to people who sign in, in their language."""

from datetime import UTC, datetime

from instep.platform.core.config import settings
from instep.platform.email.letters import Letter, LetterItem, name_in_email
from instep.platform.web.catalogues import catalogue_of, message

IGNORABLE = message("If you don't know why you got this email, you can ignore it.")
ONE_HOUR = message("This link works once, for one hour.")


def invitation_letter(locale: str, workspace_name: str, inviter: str | None, url: str) -> Letter:
    """`inviter` is the address of the owner who invites, None for an operator."""
    _ = catalogue_of(locale).gettext
    workspace = name_in_email(workspace_name)
    sentence = (
        _("%(inviter)s invited you to join %(workspace)s on Instep.", inviter=inviter, workspace=workspace)
        if inviter
        else _("You are invited to join %(workspace)s on Instep.", workspace=workspace)
    )
    return Letter(
        _("Join %(workspace)s on Instep", workspace=workspace),
        [sentence],
        (_("Accept the invitation"), url),
        footnotes=[_("This link works once, for seven days."), _(IGNORABLE)],
    )


def reset_letter(locale: str, url: str) -> Letter:
    _ = catalogue_of(locale).gettext
    return Letter(
        _("Set a new password"),
        [_("Someone asked for a new password for your account at %(site)s.", site=settings().base_url)],
        (_("Set a new password"), url),
        footnotes=[
            _(ONE_HOUR),
            _("If it wasn't you, ignore this email: your password stays as it is."),
        ],
    )


def provider_letter(locale: str, url: str) -> Letter:
    """The answer to people without a password, who sign in through the OpenID provider."""
    _ = catalogue_of(locale).gettext
    site, provider = settings().base_url, settings().oidc_name
    return Letter(
        _("How you sign in"),
        [
            _("Someone asked for a new password for your account at %(site)s.", site=site),
            _("Your account has no password: you sign in with %(provider)s.", provider=provider),
        ],
        (_("Sign in"), url),
        footnotes=[_(IGNORABLE)],
    )


def new_address_letter(locale: str, url: str) -> Letter:
    _ = catalogue_of(locale).gettext
    return Letter(
        _("Confirm your new email address"),
        [_("Confirm that your account at %(site)s should use this email address.", site=settings().base_url)],
        (_("Confirm this address"), url),
        footnotes=[_(ONE_HOUR), _(IGNORABLE)],
    )


def former_address_letter(locale: str, address: str) -> Letter:
    """The notice to the address that an account no longer has."""
    _ = catalogue_of(locale).gettext
    site = settings().base_url
    return Letter(
        _("Your email address was changed"),
        [
            _("Your account at %(site)s now uses the address %(address)s.", site=site, address=address),
            _("If it wasn't you, ask an owner of your workspace to remove your access at once."),
        ],
    )


def sign_in_letter(locale: str, browser: str, address: str, moment: datetime) -> Letter:
    """The notice of a sign-in with a new browser; `address` is a `client_address`."""
    catalogue, site = catalogue_of(locale), settings().base_url
    _ = catalogue.gettext
    time = f"{catalogue.date(moment)}, {moment.astimezone(UTC):%H:%M} UTC"
    return Letter(
        _("New sign-in to your account"),
        [_("Someone signed in to your account at %(site)s with a new browser:", site=site)],
        (_("Open your account"), f"{site}/app/account"),
        [LetterItem(browser, f"{time} · {address}")],
        [_("If it was you, there is nothing to do. If not, set a new password, which ends all sessions.")],
    )
