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
    ("given", "said"),
    [
        ({}, ""),
        ({"topology_job_manifest": {}, "topology_job_src": "a.yaml"}, ""),
        ({"topology_job_manifest": {}}, "set either topology_job_manifest or topology_job_src"),
        ({"topology_job_src": "a.yaml"}, "set either topology_job_manifest or topology_job_src"),
        ({"topology_job_placement": "required", "topology_job_layer": "3"}, ""),
        ({"topology_job_placement": "preferred"}, "topology_job_layer: missing; with topology_job_placement=preferred it names the layer"),
        ({"topology_job_layer": 3}, "topology_job_layer: '3' is not allowed. Allowed: none with topology_job_placement=none"),
        ({"topology_job_placement": "unconstrained", "topology_job_layer": "3"}, "topology_job_layer: '3' is not allowed."),
        ({"topology_job_slice_layer": "3", "topology_job_slice_size": 4}, ""),
        ({"topology_job_slice_size": 4}, "topology_job_slice_layer and topology_job_slice_size go together"),
        ({"topology_job_slice_size": -1, "topology_job_slice_layer": "3"}, "topology_job_slice_size: -1 is not allowed. Allowed: 0 to 100000."),
        ({"topology_job_timeout": 0}, "topology_job_timeout: 0 is not allowed. Allowed: 1 to 604800."),
        ({"topology_job_team": "a", "topology_job_namespace": "b"}, "topology_job_namespace: 'b' is not allowed."),
        ({"topology_job_user": "alice"}, "topology_job_user: 'alice' is not allowed: this cluster has EKS. Allowed: on clusters with Slurm only."),
        ({"topology_job_nodes": 4}, "topology_job_nodes: '4' is not allowed: this cluster has EKS."),
    ],
)
def test_variables_that_go_together(given, said):
    found = rules.problems({**VALUES, **given}, {})
    assert (said in " ".join(found) and len(found) == 1) if said else found == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, ""),
        ({"topology_job_placement": "required", "topology_job_switches": "2", "topology_job_switches_wait": 900}, ""),
        ({"topology_job_state": "absent", "topology_job_src": ""}, ""),
        ({"topology_job_src": ""}, "topology_job_src: missing; on a cluster with Slurm it is a file with a batch script."),
        ({"topology_job_name": ""}, "topology_job_name: missing; on a cluster with Slurm it names the job."),
        ({"topology_job_user": ""}, "topology_job_user: missing;"),
        ({"topology_job_team": "a"}, "topology_job_team: 'a' is not allowed: this cluster has Slurm. Allowed: on clusters with EKS only."),
        ({"topology_job_manifest": {"a": 1}}, "topology_job_manifest: an object is not allowed: this cluster has Slurm."),
        ({"topology_job_layer": 3}, "topology_job_layer: '3' is not allowed: this cluster has Slurm."),
        ({"topology_job_placement": "unconstrained"}, "topology_job_placement: 'unconstrained' is not allowed."),
        ({"topology_job_wait": "admitted"}, "topology_job_wait: 'admitted' is not allowed."),
        ({"topology_job_switches_wait": 5}, "topology_job_switches_wait: 5 is not allowed. Allowed: 0 with topology_job_placement=none."),
        ({"topology_job_nodes": 0}, "topology_job_nodes: 0 is not allowed. Allowed: 1 to 10000."),
        ({"topology_job_switches": 0}, "topology_job_switches: 0 is not allowed. Allowed: 1 to 1000."),
        ({"topology_job_timeout": 0}, "topology_job_timeout: 0 is not allowed."),
    ],
)
def test_variables_of_a_job_for_slurm(given, said):
    found = rules.slurm_problems({**OF_SLURM, **given}, {})
    assert (said in " ".join(found) and len(found) == 1) if said else found == []


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
    ("named", "run", "said"),
    [
        ([], ["ml"], ""),
        (["ml"], ["ml", "other"], ""),
        ([], ["other", "ml"], "topology_job_cluster is missing; a job is submitted to one cluster, and this run has ml, other: set it to one of them"),
        (["no"], ["ml"], "topology_job_cluster: 'no' is not allowed: it is not a cluster of this run. Allowed: ml."),
        (["ml", "other"], ["ml", "other"], "topology_job_cluster: ml, other is not allowed: a job is submitted to one cluster."),
    ],
)
def test_a_job_is_for_one_cluster(named, run, said):
    found = rules.cluster_problems(named, run)
    assert (len(found) == 1 and said in found[0]) if said else found == []
