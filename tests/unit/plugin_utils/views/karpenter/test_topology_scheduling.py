# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where Kueue's topology-aware scheduling is configured."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.karpenter.topology_scheduling import topology_scheduling

VERSION = "v1.6.1-eksbuild.1"
OFFERS = {"type": "object", "properties": {"featureGates": {"type": "object"}}}


def variables(*addons: t.Any, schema: t.Any = None) -> dict[str, t.Any]:
    return {
        "__karpenter_gates": {"topology_scheduling": {"feature_gates": {"TopologyAwareScheduling": False}}},
        "__karpenter_addon": {"eks_addons": list(addons)},
        **({"__karpenter_addon_settings": {"eks_addon_configuration": {"schema": schema}}} if schema is not None else {}),
    }


def addon(configuration: t.Any) -> dict[str, t.Any]:
    return {"version": VERSION, "configuration": configuration}


def test_the_addon_setting_is_used_if_it_exists() -> None:
    found = topology_scheduling(variables(addon({"replicas": 2}), schema=OFFERS))
    assert found.offered and found.configuration == {"replicas": 2, "featureGates": {"TopologyAwareScheduling": False}}
    assert found.before == {"replicas": 2} and found.findings == []


def test_otherwise_the_file_is_used_and_an_update_may_undo_it() -> None:
    for there, schema in ((addon({}), {}), (addon("no: mapping: at all"), OFFERS)):
        found = topology_scheduling(variables(there, schema=schema))
        assert (found.offered, found.version) == (False, VERSION)
        assert [(each["kind"], each["code"]) for each in found.findings] == [("note", "karpenter-topology-scheduling")]
        assert f"add-on {VERSION} has no setting" in found.findings[0]["text"]


def test_a_self_managed_kueue_has_no_addon() -> None:
    found = topology_scheduling(variables())
    assert (found.version, found.offered, found.findings) == ("", False, [])
