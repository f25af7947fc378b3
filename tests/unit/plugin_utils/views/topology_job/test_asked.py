# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.topology_job import asked
from unit.plugin_utils._declared.test_topology_job import VALUES

LAYER = "topology.k8s.aws/network-node-layer-"
REST = {"topology_job_queue": "", "topology_job_priority_class": "", "topology_job_kubeconfig": "", "topology_job_context": ""}


def variables(**given: t.Any) -> dict[str, t.Any]:
    own = {**VALUES, **REST, "inventory_hostname": "ml", "hyperpod_run": {"cluster": {"eks_cluster_arn": "arn:eks"}}, **given}
    return {**own, "hostvars": {"ml": own}, "ansible_play_hosts_all": ["ml"]}


@pytest.mark.parametrize(("named", "here"), [({}, False), ({"ml": "ml"}, True), ({"ml": "other", "other": "other"}, False)])
def test_a_job_is_assigned_to_its_cluster(named, here):
    hosts = {host: {"topology_job_cluster": named.get(host, "")} for host in ("ml", "other")}
    found = asked.chosen({"hostvars": hosts, "ansible_play_hosts_all": ["ml", "other"], "inventory_hostname": "ml"})
    assert (found.here or bool(found.refusals), bool(found.refusals)) == (here or not named, not named)


def test_one_cluster_needs_no_name():
    assert asked.chosen(variables()) == asked.Chosen([], True)


def test_declared_variables_are_checked():
    assert asked.refusals(variables()) == []
    (refusal,) = asked.refusals(variables(topology_job_timeout=0))
    assert refusal["code"] == "option-refused"


def test_the_api_server_is_reached_as_configured():
    assert asked.server(variables()).eks_cluster == "arn:eks"
    assert asked.server(variables(topology_job_kubeconfig="a")).kubeconfig == "a"


@pytest.mark.parametrize(
    ("given", "field", "value"),
    [
        ({"topology_job_placement": "required", "topology_job_layer": "3"}, "required", f"{LAYER}3"),
        ({"topology_job_placement": "preferred", "topology_job_layer": "3"}, "preferred", f"{LAYER}3"),
        ({"topology_job_placement": "preferred", "topology_job_layer": "3"}, "required", None),
        ({"topology_job_placement": "unconstrained"}, "unconstrained", True),
        ({}, "unconstrained", False),
        ({"topology_job_slice_layer": "2", "topology_job_slice_size": 4}, "slice_layer", f"{LAYER}2"),
        ({"topology_job_slice_layer": "2", "topology_job_slice_size": 4}, "slice_size", 4),
        ({}, "slice_size", None),
        ({"topology_job_team": "a"}, "namespace", "hyperpod-ns-a"),
        ({"topology_job_team": "a"}, "queue", "hyperpod-ns-a-localqueue"),
        ({"topology_job_priority_class": "p"}, "priority_class", "p"),
    ],
)
def test_a_job_has_the_options_of_the_module(given, field, value):
    found = asked.job(variables(**given))
    assert getattr(found, field) == value
