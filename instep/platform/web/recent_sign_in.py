"""Step-up: what is dangerous asks people to prove once more who they are, if they last did long ago."""

from starlette.requests import Request

from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.errors import InsufficientScope
from instep.platform.identity.sessions import Session

VERIFY = "/app/verify"


class SignInTooOld(InsufficientScope):
    """Prove again who you are: this needs a sign-in of the last ten minutes."""


def require_recent_sign_in(request: Request) -> None:
    """Raise `SignInTooOld`, which `require_person` redirects to the page that asks for the password and back.

    Pages for keys, roles, export, deletion, and the hosts that get visitors or their data call it: best where
    their form is shown, and always where it is received. Whoever is asked there fills in the form again.
    """
    session: Session = request.state.session
    if utc_now() - session.verified_at > limits.RECENT_SIGN_IN_TTL:
        raise SignInTooOld
