"""Step-up: sensitive actions ask people to prove their identity again if the last proof is too old."""

from starlette.requests import Request

from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.errors import InsufficientScope
from instep.platform.identity.sessions import Session

VERIFY = "/app/verify"


class SignInTooOld(InsufficientScope):
    """Prove your identity again: this needs a sign-in within the last ten minutes."""


def require_recent_sign_in(request: Request) -> None:
    """Raise `SignInTooOld`, which `require_person` redirects to the page that asks for the password and back.

    Pages for keys, roles, export, deletion, and hosts that get visitors or their data call it: preferably
    when their form is shown, and always when it is received; the form must then be filled in again.
    """
    session: Session = request.state.session
    if utc_now() - session.verified_at > limits.RECENT_SIGN_IN_TTL:
        raise SignInTooOld
