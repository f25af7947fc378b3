# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The nodes on which our device plugins do not work yet, and why. No I/O."""

from __future__ import annotations

import typing as t

from . import known
from .known import PLUGINS, Plugin
from .manifest import SPECIFICATION
from .model import Machine, PluginPod, State, name_of

MOST_NAMED = 8


def machines(state: State, plugin: Plugin) -> list[Machine]:
    """The nodes that need a Pod of our DaemonSet."""
    found = state.ours.get(plugin.key)
    types = (known.instance_types(found.live) or ()) if found and found.live and not found.leaving else ()
    return [each for each in state.machines if each.instance_type in types]


def lacking(state: State, plugin: Plugin) -> dict[str, str]:
    """Why the plugin does not work on nodes, keyed by node."""
    reasons = {each.name: _reason(each, plugin, state) for each in machines(state, plugin)}
    return {name: why for name, why in reasons.items() if why}


def awaited(state: State) -> list[str]:
    """The nodes for which a wait makes sense, each with the reason. A node that is not ready starts no Pods."""
    return [
        f"{each.name}: {why}"
        for plugin in PLUGINS
        for each in machines(state, plugin)
        for why in (_reason(each, plugin, state),)
        if why and not each.not_ready
    ]


def progress(state: State) -> str:
    counts = []
    for plugin in PLUGINS:
        total = len(machines(state, plugin))
        if total:
            counts.append(f"{plugin.resource} on {total - len(lacking(state, plugin))} of {total} node{'' if total == 1 else 's'}")
    return f"not complete ({', '.join(counts)}; {named(awaited(state)[:1])})"


def named(reasons: t.Sequence[str]) -> str:
    more = f"; and {len(reasons) - MOST_NAMED} more" if len(reasons) > MOST_NAMED else ""
    return f"{'; '.join(reasons[:MOST_NAMED])}{more}"


def current(state: State, plugin: Plugin) -> list[PluginPod]:
    """The Pods that were created from the current template of our DaemonSet."""
    found = state.ours.get(plugin.key)
    template = (((found.live if found else None) or {}).get("spec") or {}).get("template") or {}
    wanted = ((template.get("metadata") or {}).get("annotations") or {}).get(SPECIFICATION)
    return [each for each in state.pods.get(plugin.key, ()) if each.specification == wanted]


def _reason(machine: Machine, plugin: Plugin, state: State) -> str:
    if machine.not_ready:
        return machine.not_ready
    pods = [each for each in current(state, plugin) if each.node == machine.name]
    if not pods:
        old = any(each.node == machine.name for each in state.pods.get(plugin.key, ()))
        return f"it has {'only an outdated' if old else 'no'} Pod of DaemonSet {name_of(plugin)}"
    if not any(each.ready for each in pods):
        return _trouble(pods)
    return "" if machine.offered.get(plugin.resource) else f"its Pod is ready, but its kubelet offers no {plugin.resource}"


def _trouble(pods: t.Sequence[PluginPod]) -> str:
    return next((each.trouble for each in pods if each.trouble), "its Pod is not ready")
