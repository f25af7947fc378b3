# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""How long to wait until a node has settled after its boot. The node's result, which contains the time, is untrusted.

Standard library only, Python 3.9 syntax.
"""

from __future__ import annotations

import typing as t

from .profile import Profile


def settles_in(health: t.Any, profile: t.Mapping[str, t.Any] | None) -> int:
    """Seconds until the node has settled, as the node returns them, at most ``settle_seconds``. 0 if the verdict will not change.

    :param profile: the value of the option ``profile``.
    """
    seconds = health.get("settles_in") if isinstance(health, t.Mapping) else None
    if not isinstance(seconds, int) or seconds <= 0:
        return 0
    return min(seconds, longest(profile))


def longest(profile: t.Mapping[str, t.Any] | None) -> int:
    """The profile's ``settle_seconds``: the seconds after its boot within which a node may lack devices."""
    return int((profile or {}).get("settle_seconds") or Profile.settle_seconds)
