# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a lock may be ended by hand: who asks has seen whose it is. Plain data in and out."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import refusal_text
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names

Holder = t.Mapping[str, t.Any]
RUNNING = "running"


def lock_shown(key: str, holder: Holder) -> str:
    """The lock as it is to be confirmed: cluster, number and owner."""
    return f"{key}:{holder['generation']}:{printable(holder['owner'])}"


def unlock_plan(
    key: str, holder: Holder | None, run: str, *, confirm: t.Any, running: bool, keys: t.Collection[str]
) -> dict[str, t.Any]:
    """Whether the lock of cluster ``key`` is to ``end``, or the ``refusal`` as a sentence.

    ``run``: what is known of the holder's run. ``confirm``: what was confirmed, a list or a text with commas.
    ``running``: whether it was said that even a run that goes on is meant. ``keys``: the clusters of the run.
    """
    wanted = given_names(confirm)
    strange = [each for each in wanted if each.partition(":")[0] not in keys]
    own = [each for each in wanted if each.partition(":")[0] == key]
    if strange:
        return _refused(strange[0], f"the locks of {', '.join(sorted(keys))}", "it names no cluster of this run")
    if holder is None:
        return _refused(own[0], "no value", f"nobody holds the lock of {key} any more") if own else {"end": False, "refusal": ""}
    shown = lock_shown(key, holder)
    since = f"since {holder['acquired']}, until {holder['expires']}"
    held = f"Cluster {key} is locked by {printable(holder['owner'])} {since}"
    if own and shown not in own:
        return _refused(own[0], f"{shown}, which is held {since}", "another lock is held now")
    if wanted and not own:
        return {"end": False, "refusal": ""}
    if not own:
        return {"end": False, "refusal": f"{held}. If you know that its run is gone, confirm it: -e unlock_confirm='{shown}'."}
    if run == RUNNING and not running:
        refusal = (
            f"{held}, and its run goes on here as process {holder['pid']}: wait for it, or end that process. To end the lock "
            "all the same, which makes that run fail at its next call to AWS, add -e unlock_running=true."
        )
        return {"end": False, "refusal": refusal}
    return {"end": True, "refusal": ""}


def _refused(word: str, allowed: str, why: str) -> dict[str, t.Any]:
    return {"end": False, "refusal": refusal_text("unlock_confirm", f"'{printable(word)}'", allowed, why)}
