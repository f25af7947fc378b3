# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an operator may remove a lock: the confirmation must name the owner of the lock. Plain data in and out."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import refusal_text
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names

Holder = t.Mapping[str, t.Any]
RUNNING = "running"


def lock_shown(key: str, holder: Holder) -> str:
    """The confirmation of a lock, which names the cluster, the number and the owner of the lock."""
    return f"{key}:{holder['generation']}:{printable(holder['owner'])}"


def unlock_plan(
    key: str, holder: Holder | None, run: str, *, confirm: t.Any, running: bool, keys: t.Collection[str]
) -> dict[str, t.Any]:
    """Whether to ``end`` the lock of cluster ``key``, and a ``refusal`` as a sentence if the lock must not be removed.

    :param run: the state of the holder's run.
    :param confirm: the confirmed locks, as a list or a string with commas.
    :param running: whether the lock of an active run may be removed.
    :param keys: the clusters of the current run.
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
        return {"end": False, "refusal": f"{held}. If that run has ended, add -e unlock_confirm='{shown}' to remove the lock."}
    if run == RUNNING and not running:
        refusal = (
            f"{held}, and that run is active here as process {holder['pid']}. Wait for the run, or end the process. With "
            "-e unlock_running=true, the lock is removed anyway, and that run fails at its next AWS call."
        )
        return {"end": False, "refusal": refusal}
    return {"end": True, "refusal": ""}


def _refused(word: str, allowed: str, why: str) -> dict[str, t.Any]:
    return {"end": False, "refusal": refusal_text("unlock_confirm", f"'{printable(word)}'", allowed, why)}
