"""Limits that callers, readers or operators can reach (contract sections 2 and 7), by subject.

Modules read all of them from here, as in `limits.MAX_TITLE_CHARACTERS`. Constants that only tune the code are
defined where they are used. Each name or comment says the unit; a count names its things in the plural; a
`timedelta` carries its unit.
"""

from instep.platform.core.limits.accounts import *
from instep.platform.core.limits.clients import *
from instep.platform.core.limits.content import *
from instep.platform.core.limits.dashboard import *
from instep.platform.core.limits.http import *
from instep.platform.core.limits.moving import *
from instep.platform.core.limits.notifying import *
from instep.platform.core.limits.processing import *
from instep.platform.core.limits.searching import *
from instep.platform.core.limits.site import *
from instep.platform.core.limits.visitors import *
