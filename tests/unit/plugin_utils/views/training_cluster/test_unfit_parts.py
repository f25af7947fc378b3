# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals of node groups and add-ons."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster import unfit_parts

from .given import GROUP, cluster, resource, variables

SCHEMA = {"type": "object", "additionalProperties": False, "properties": {"replicaCount": {"type": "integer"}}}
TEMPLATE = {"version": 1, "capacity_type": "ON_DEMAND", "capacity_reservation": None, "placement_group_state": ""}


def offered(name: str, *, needs: bool = False) -> dict[str, t.Any]:
    """The variable with the answer of ``eks_addon_info``."""
    answer = {
        "item": {"name": name},
        "eks_addon_versions": [{"version": "v1", "requires_configuration": needs}],
        "eks_addon_configuration": {"version": "v1", "schema": SCHEMA},
    }
    return {"__training_cluster_offered_addons": {"results": [answer]}}


def test_only_add_ons_that_are_not_installed_in_the_declared_version_are_read() -> None:
    there = resource("eks_addon", "coredns", version="v1.12.4-eksbuild.1")
    given = [{"name": "coredns"}, {"name": "metrics-server"}]
    new = unfit_parts.new_addons(variables(cluster(version="1.35"), there, addons=given))
    assert new == [{"name": "metrics-server", "version": "default", "kubernetes_version": "1.35"}]
    other = unfit_parts.new_addons(variables(cluster(), there, addons=[{"name": "coredns", "version": "v1.11.0-eksbuild.1"}]))
    assert other == [{"name": "coredns", "version": "v1.11.0-eksbuild.1", "kubernetes_version": "1.34"}]
    assert unfit_parts.new_addons(variables(cluster(), there, addons=[{"name": "coredns", "version": "v1.12.4-eksbuild.1"}])) == []
    assert unfit_parts.new_addons(variables(addons=[{"name": "coredns"}]))[0]["kubernetes_version"] == "1.34", "EKS's default"


def test_settings_of_an_add_on_match_its_schema() -> None:
    wrong = [{"name": "coredns", "configuration": {"replicas": 2}}]
    (found,) = unfit_parts.unfit_parts(variables(addons=wrong, **offered("coredns")))
    text = "training_cluster_addons[0].configuration.replicas: 2 is not allowed: the setting is unknown; the settings do not match the schema of coredns v1."
    assert text in found["text"]
    right = [{"name": "coredns", "configuration": {"replicaCount": 2}}]
    assert unfit_parts.unfit_parts(variables(addons=right, **offered("coredns"))) == []


def test_an_add_on_that_requires_settings_gets_some() -> None:
    (found,) = unfit_parts.unfit_parts(variables(addons=[{"name": "coredns"}], **offered("coredns", needs=True)))
    assert "training_cluster_addons[0].configuration: missing; coredns v1 requires it." in found["text"]
    assert unfit_parts.unfit_parts(variables(addons=[{"name": "coredns"}], **offered("coredns"))) == []


def test_groups_are_checked_with_their_planned_templates() -> None:
    templates = {"results": [{"item": {"name": f"ml.{each}"}, "efa_launch_template": TEMPLATE} for each in ("system", "gpu")]}
    given = {"groups": [{**GROUP, "placement_group": "near"}], "__training_cluster_planned_templates": templates}
    (found,) = unfit_parts.unfit_parts(variables(**given))
    assert "training_cluster_groups[0].placement_group: 'near' is not allowed" in found["text"]
    there = resource("eks_nodegroup", "system", desired=2, version="1.34", ami_type="AL2023_ARM_64_STANDARD")
    (_place, system) = unfit_parts.unfit_parts(variables(cluster(), there, **given))[::-1]
    assert "training_cluster_system.instance_type" in system["text"]
    failed = {**there, "status": "CREATE_FAILED"}
    assert len(unfit_parts.unfit_parts(variables(cluster(), failed, **given))) == 1, "the run creates it again"
