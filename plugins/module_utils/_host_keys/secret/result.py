# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The return values of ``host_key_secret``."""

from __future__ import annotations

import typing as t

from .. import rotation
from ..keys import Publication
from .model import Desired, HostKeys, summary


def result(desired: Desired, state: HostKeys) -> dict[str, t.Any]:
    known = state.keys if state.keys is not None else state.published or ()
    public = state.public if state.content else Publication(known, state.published_next, state.published_previous)
    return {
        "host_keys": [key.to_result() for key in known],
        "next_host_keys": [key.to_result() for key in public.next],
        "previous_host_keys": [key.to_result() for key in public.previous],
        "rotation": _rotation(state.content),
        "secret": {
            "name": None if desired.public_keys else desired.secret_name,
            "arn": None if state.deleted else state.secret_arn,
        },
        "parameter": desired.parameter,
    }


def _rotation(held: rotation.Content | None) -> dict[str, t.Any] | None:
    if held is None:
        return None
    sets = {"current": summary(held, "keys"), "next": summary(held, "next"), "previous": summary(held, "previous")}
    settled = not sets["previous"] or "settled" in sets["previous"]
    return {"phase": "announced" if sets["next"] else "none", "settled": settled, **sets}
