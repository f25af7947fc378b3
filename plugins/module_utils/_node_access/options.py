# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of ``node_access``."""

from __future__ import annotations

import re
import typing as t

from .._core.failure import refuse_option
from .._hyperpod.model import Cluster, Node, require_group
from .._ssh.public_key import HOST_KEY_ALGORITHMS
from .model import Operations, plain_key
from .people import Declared
from .plan import Desired

_ACCOUNT = re.compile(r"[a-z_][a-z0-9_-]{0,31}")


def operations(params: t.Mapping[str, t.Any]) -> Operations:
    user, line = params["operations_user"], params["public_key"].strip()
    if user == "root" or not _ACCOUNT.fullmatch(user):
        refuse_option("operations_user", user, "a lower-case name of letters, digits, - and _ (at most 32)")
    key = plain_key(line)
    if key is None or "\n" in line:
        shown = line.split()[0] if line.split() else ""
        refuse_option("public_key", f"{shown} ...", "one line with a public key of type " + ", ".join(HOST_KEY_ALGORITHMS))
    return Operations(user=user, key=key)


def check_limits(params: t.Mapping[str, t.Any]) -> None:
    if params["timeout"] < 1:
        refuse_option("timeout", params["timeout"], "1 or more")


def desired(
    params: t.Mapping[str, t.Any], cluster: Cluster, nodes: t.Sequence[Node], *, people: Declared | None
) -> Desired:
    """The nodes that the run processes.

    :raises Refused: for a group or an instance ID that the cluster does not have.
    """
    for name in params["groups"] or ():
        require_group(cluster, name, option="groups")
    recheck = params["recheck"]
    if not isinstance(recheck, (bool, list)):
        refuse_option("recheck", recheck, "a list of instance IDs, or true or false")
    listed = {node.instance_id for node in nodes}
    rechecked = recheck if isinstance(recheck, list) else ()
    for option, ids in (("instance_ids", params["instance_ids"] or ()), ("recheck", rechecked)):
        for instance_id in ids:
            if instance_id not in listed:
                refuse_option(option, instance_id, f"instance IDs of cluster {cluster.name}", "the cluster has no such node")
    return Desired(
        include=params["include"],
        groups=frozenset(params["groups"] or ()),
        instance_ids=frozenset(params["instance_ids"] or ()),
        recheck=frozenset(listed if recheck is True else rechecked),
        people=people,
    )
