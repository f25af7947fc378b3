# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The actions that the report recommends, the most urgent first."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import (
    CONFIG,
    REBOOT,
    REPLACE,
    UNKNOWN,
    WATCH,
)

from .common import finding_of

STOP = "stop"
ROWS = "gpu-rows-pending"
"""The code for a GPU that must remap a row of its memory. The node works, but needs a reboot."""
WORDS = {
    REPLACE: ("replace", "Drain and replace each node. A reboot does not repair the hardware."),
    REBOOT: ("reboot", "Reboot each node after its jobs have ended, then check it again."),
    UNKNOWN: ("look-again", "Check each node again. Its health is unknown."),
    CONFIG: ("set-up", "Correct the configuration of each node. The hardware is sound."),
    ROWS: ("reboot", "Reboot each node when it is idle: a GPU must remap a row of its memory. Until then, the node works."),
    WATCH: ("watch", "Watch the findings of each node in the next reports. The node works."),
}
"""The action and its text, keyed by verdict, cause or problem code."""


def actions(clusters: t.Mapping[str, t.Any], stops: t.Sequence[t.Mapping[str, t.Any]]) -> list[dict[str, t.Any]]:
    """The actions for all clusters. The actions for ``stops``, the problems that many nodes share, come first."""
    first = [{"action": STOP, "cluster": each["cluster"], "nodes": each["nodes"], "text": each["text"]} for each in stops]
    held = {(each["cluster"], each["code"], each["event"]) for each in stops}
    rest = [row for wanted in WORDS for key, cluster in clusters.items() for row in _of_cluster(key, cluster, wanted, held)]
    return [*first, *(row for key, cluster in clusters.items() for row in _set_up(key, cluster)), *rest]


def _set_up(key: str, cluster: t.Mapping[str, t.Any]) -> t.Iterator[dict[str, t.Any]]:
    """The actions for setup problems that affect whole instance groups and cannot be corrected on a node."""
    for text, groups in cluster["set_up"].items():
        ids = [iid for iid, node in cluster["nodes"].items() if node["instance_group"] in groups]
        yield {"action": WORDS[CONFIG][0], "cluster": key, "nodes": ids, "text": text}


def _of_cluster(
    key: str, cluster: t.Mapping[str, t.Any], wanted: str, held: t.Container[tuple[str, str, str]]
) -> list[dict[str, t.Any]]:
    ids = [iid for iid, node in cluster["nodes"].items() if _wanted(node) == wanted and not _only_common(key, node, held)]
    action, text = WORDS[wanted]
    return [{"action": action, "cluster": key, "nodes": ids, "text": text}] if ids else []


def _wanted(node: t.Mapping[str, t.Any]) -> str:
    if node["verdict"] == WATCH and any(each["code"] == ROWS for each in node["problems"]):
        return ROWS
    causes = {each["cause"] for each in node["problems"] if each["verdict"] == WATCH}
    return CONFIG if node["verdict"] == WATCH and causes == {CONFIG} else str(node["verdict"])


def _only_common(key: str, node: t.Mapping[str, t.Any], held: t.Container[tuple[str, str, str]]) -> bool:
    """Whether every problem that makes the node unfit is shared by many nodes."""
    unfit = [finding_of(each) for each in node["problems"] if each["verdict"] in (REBOOT, REPLACE)]
    return bool(unfit) and all((key, *finding) in held for finding in unfit)
