# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import topology_job as rules

VALUES: dict[str, t.Any] = {
    "topology_job_manifest": {"kind": "Job"},
    "topology_job_src": "",
    "topology_job_state": "present",
    "topology_job_pod_rights": [],
    "topology_job_placement": "none",
    "topology_job_layer": "",
    "topology_job_slice_layer": "",
    "topology_job_slice_size": 0,
    "topology_job_team": "",
    "topology_job_namespace": "",
    "topology_job_timeout": 1800,
    "topology_job_queue": "",
    "topology_job_priority_class": "",
    **rules.OF_SLURM,
}
OF_SLURM: dict[str, t.Any] = {
    **VALUES,
    "topology_job_manifest": {},
    "topology_job_wait": "running",
    "topology_job_src": "a.sh",
    "topology_job_name": "llama",
    "topology_job_user": "alice",
}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, ""),
        ({"topology_job_manifest": {}, "topology_job_src": "a.yaml"}, ""),
        ({"topology_job_manifest": {}}, "exactly one of topology_job_manifest and topology_job_src"),
        ({"topology_job_src": "a.yaml"}, "exactly one of topology_job_manifest and topology_job_src"),
        ({"topology_job_placement": "required", "topology_job_layer": "3"}, ""),
        ({"topology_job_placement": "preferred"}, "topology_job_layer: missing; topology_job_placement=preferred requires a layer"),
        (
            {"topology_job_layer": 3},
            "topology_job_layer: '3' is not allowed: only the placements required and preferred use a layer. Allowed: no value with "
            "topology_job_placement=none.",
        ),
        ({"topology_job_placement": "unconstrained", "topology_job_layer": "3"}, "topology_job_layer: '3' is not allowed: only the placements"),
        ({"topology_job_slice_layer": "3", "topology_job_slice_size": 4}, ""),
        ({"topology_job_slice_size": 4}, "set both topology_job_slice_layer and topology_job_slice_size, or neither."),
        ({"topology_job_slice_size": -1, "topology_job_slice_layer": "3"}, "topology_job_slice_size: -1 is not allowed. Allowed: 0 to 100000."),
        ({"topology_job_timeout": 0}, "topology_job_timeout: 0 is not allowed. Allowed: 1 to 604800."),
        ({"topology_job_team": "a", "topology_job_namespace": "b"}, "topology_job_namespace: 'b' is not allowed: topology_job_team determines the namespace."),
        (
            {"topology_job_user": "alice"},
            "topology_job_user: 'alice' is not allowed: this variable is for clusters with Slurm. Allowed: no value on a cluster with EKS.",
        ),
        ({"topology_job_nodes": 4}, "topology_job_nodes: '4' is not allowed: this variable is for clusters with Slurm."),
    ],
)
def test_variables_that_require_each_other_are_checked(given, message):
    found = rules.problems({**VALUES, **given}, {})
    assert (message in " ".join(found) and len(found) == 1) if message else found == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, ""),
        ({"topology_job_placement": "required", "topology_job_switches": "2", "topology_job_switches_wait": 900}, ""),
        ({"topology_job_state": "absent", "topology_job_src": ""}, ""),
        ({"topology_job_src": ""}, "topology_job_src: missing; a job on a cluster with Slurm requires a file with a batch script."),
        ({"topology_job_name": ""}, "topology_job_name: missing; a job on a cluster with Slurm requires a name."),
        ({"topology_job_user": ""}, "topology_job_user: missing;"),
        (
            {"topology_job_team": "a"},
            "topology_job_team: 'a' is not allowed: this variable is for clusters with EKS. Allowed: no value on a cluster with Slurm.",
        ),
        ({"topology_job_manifest": {"a": 1}}, "topology_job_manifest: an object is not allowed: this variable is for clusters with EKS."),
        ({"topology_job_layer": 3}, "topology_job_layer: '3' is not allowed: this variable is for clusters with EKS."),
        ({"topology_job_placement": "unconstrained"}, "topology_job_placement: 'unconstrained' is not allowed."),
        ({"topology_job_wait": "admitted"}, "topology_job_wait: 'admitted' is not allowed."),
        ({"topology_job_switches_wait": 5}, "topology_job_switches_wait: 5 is not allowed. Allowed: 0 with topology_job_placement=none."),
        ({"topology_job_nodes": 0}, "topology_job_nodes: 0 is not allowed. Allowed: 1 to 10000."),
        ({"topology_job_switches": 0}, "topology_job_switches: 0 is not allowed. Allowed: 1 to 1000."),
        ({"topology_job_timeout": 0}, "topology_job_timeout: 0 is not allowed."),
    ],
)
def test_variables_of_a_slurm_job_are_checked(given, message):
    found = rules.slurm_problems({**OF_SLURM, **given}, {})
    assert (message in " ".join(found) and len(found) == 1) if message else found == []


@pytest.mark.parametrize(
    ("given", "label"),
    [("", None), ("3", "topology.k8s.aws/network-node-layer-3"), (4, "topology.k8s.aws/network-node-layer-4"), ("a/b", "a/b")],
)
def test_a_layer_is_a_number_or_a_label(given, label):
    assert rules.layer(given) == label


def test_a_team_has_its_namespace_and_its_queue():
    assert (rules.namespace("a", ""), rules.queue("a", "")) == ("hyperpod-ns-a", "hyperpod-ns-a-localqueue")
    assert (rules.namespace("", "b"), rules.queue("a", "b"), rules.namespace("", ""), rules.queue("", "")) == ("b", "b", None, None)


@pytest.mark.parametrize(
    ("named", "run", "message"),
    [
        ([], ["ml"], ""),
        (["ml"], ["ml", "other"], ""),
        (
            [],
            ["other", "ml"],
            "topology_job_cluster: missing; a job is submitted to one cluster, and this run has ml, other. Set topology_job_cluster to one of "
            "these keys, or select one cluster with -e hyperpod_only=KEY.",
        ),
        (["no"], ["ml"], "topology_job_cluster: 'no' is not allowed: no cluster of this run has this key. Allowed: ml."),
        (["ml", "other"], ["ml", "other"], "topology_job_cluster: ml, other is not allowed: a job is submitted to one cluster."),
    ],
)
def test_a_job_is_for_one_cluster(named, run, message):
    found = rules.cluster_problems(named, run)
    assert (len(found) == 1 and message in found[0]) if message else found == []
