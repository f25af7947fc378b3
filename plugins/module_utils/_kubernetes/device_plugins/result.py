# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The device plugins as the module returns them."""

from __future__ import annotations

import typing as t

from . import known
from .known import PLUGINS
from .model import Desired, State, Wanted
from .readiness import current, lacking, machines


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    given = {each.plugin.key: each for each in desired.wanted}
    return {"device_plugins": {each.key: _plugin(given[each.key], state) if each.key in given else None for each in PLUGINS}}


def _plugin(wanted: Wanted, state: State) -> dict[str, t.Any]:
    plugin = wanted.plugin
    live = state.ours[plugin.key].live
    containers = known.pod_spec(live or {}).get("containers") or ()
    nodes, waiting = machines(state, plugin), lacking(state, plugin)
    others = [(each, each.covered(wanted.instance_types)) for each in state.providers.get(plugin.key, ())]
    return {
        "resource": plugin.resource,
        "installed": live is not None,
        "instance_types": sorted(known.instance_types(live or {}) or ()),
        "image": next((str(each["image"]) for each in containers if each["name"] == plugin.container), ""),
        "digests": sorted({each.digest for each in current(state, plugin) if each.ready and each.digest}),
        "nodes": len(nodes),
        "nodes_ready": len(nodes) - len(waiting),
        "not_ready": [{"node": name, "reason": why} for name, why in waiting.items()],
        "in_use_by": [{"kind": each.kind, "name": each.name, "instance_types": types} for each, types in others if types],
    }
