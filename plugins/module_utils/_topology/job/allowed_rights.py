# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Checks the rights of a job's Pods against the allow list. No I/O."""

from __future__ import annotations

import json
import typing as t

from ..._core.failure import refuse_shown
from ..._core.text import printable
from ..._kubernetes.client import Object
from ..._kubernetes.job_kinds import Kind
from .pod_rights import rights

TEAM = "hyperpod-ns-"
"""The prefix of the namespaces of task governance's teams."""
_SHM = "hostPath=/dev/shm"


def check(
    kind: Kind, manifest: Object, *, namespace: str, allowed: t.Collection[str], source: str, option: str
) -> tuple[str, ...]:
    """
    :param source: the option with the manifest.
    :param option: the option with the allow list.
    :returns: the names of the Pods' rights.
    :raises Refused: for rights that are not in the list and, in a team's namespace, for rights that ``baseline`` refuses.
    """
    found = rights(kind, manifest)
    never = [each.name for each in found if each.baseline and namespace.startswith(TEAM)]
    if never:
        why = f'Pod Security "baseline", which applies to namespaces of teams such as {printable(namespace)}, refuses such Pods'
        instead = " (for /dev/shm, use an emptyDir with medium Memory)" if _SHM in never else ""
        allowed_ones = f"Pods without these rights{instead}, or these rights in {option} and a namespace that is not a team's"
        refuse_shown(source, ", ".join(never), allowed_ones, why)
    missing = [each for each in found if each.name not in allowed]
    if missing:
        names, why = [each.name for each in missing], "; ".join(dict.fromkeys(each.why for each in missing))
        line = f"{option}: {json.dumps(sorted({*allowed, *names}))}"
        refuse_shown(source, ", ".join(names), f"Pods without these rights, or the option {line}", why)
    return tuple(each.name for each in found)
