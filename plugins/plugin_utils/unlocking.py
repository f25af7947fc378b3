# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a lock may be removed by hand: the confirmation must name its owner. Plain data in and out."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import refusal_text
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names

Holder = t.Mapping[str, t.Any]
RUNNING = "running"


def lock_shown(key: str, holder: Holder) -> str:
    """The confirmation of a lock: cluster, number and owner."""
    return f"{key}:{holder['generation']}:{printable(holder['owner'])}"


def unlock_plan(
    key: str, holder: Holder | None, run: str, *, confirm: t.Any, running: bool, keys: t.Collection[str]
) -> dict[str, t.Any]:
    """Whether to ``end`` the lock of cluster ``key``, or the ``refusal`` as a sentence.

    ``run``: the state of the holder's run. ``confirm``: the confirmed locks, a list or a string with commas.
    ``running``: whether the lock of an active run may be removed. ``keys``: the clusters of the run.
    """
    wanted = given_names(confirm)
    strange = [each for each in wanted if each.partition(":")[0] not in keys]
    own = [each for each in wanted if each.partition(":")[0] == key]
    if strange:
        return _refused(strange[0], f"the locks of {', '.join(sorted(keys))}", "it names no cluster of this run")
    if holder is None:
        return _refused(own[0], "no value", f"the lock of {key} is no longer held") if own else {"end": False, "refusal": ""}
    shown = lock_shown(key, holder)
    since = f"since {holder['acquired']}, until {holder['expires']}"
    held = f"Cluster {key} is locked by {printable(holder['owner'])} {since}"
    if own and shown not in own:
        return _refused(own[0], f"{shown}, which is held {since}", "the lock has changed")
    if wanted and not own:
        return {"end": False, "refusal": ""}
    if not own:
        return {"end": False, "refusal": f"{held}. If that run has ended, confirm the removal: -e unlock_confirm='{shown}'."}
    if run == RUNNING and not running:
        refusal = (
            f"{held}, and its run is active here as process {holder['pid']}. Wait for it or end that process. To remove the lock "
            "anyway, which makes that run fail at its next AWS call, add -e unlock_running=true."
        )
        return {"end": False, "refusal": refusal}
    return {"end": True, "refusal": ""}


def _refused(word: str, allowed: str, why: str) -> dict[str, t.Any]:
    return {"end": False, "refusal": refusal_text("unlock_confirm", f"'{printable(word)}'", allowed, why)}
