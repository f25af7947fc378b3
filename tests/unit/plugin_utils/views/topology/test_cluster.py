# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions of the nodes of one cluster."""

from __future__ import annotations

import base64
import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.topology import cluster as views

Variables = dict[str, t.Any]
OPTIONS = {"topology_nodes_needed": 0, "topology_kubeconfig": "", "topology_context": "", "topology_mermaid": "{cluster}.mmd"}


def node(number: int, node_type: str = "compute", **more: t.Any) -> Variables:
    about = {"hyperpod_instance_id": f"i-{number}", "hyperpod_instance_type": "ml.p5.48xlarge", "hyperpod_instance_group": "gpus"}
    return {**about, "hyperpod_node_type": node_type, "inventory_hostname": f"ml-{number}", **more}


def of_controller(**layers: list[str]) -> Variables:
    instances = [
        {"InstanceId": iid.replace("_", "-"), "InstanceLabel": {f"network-node-layer-{number}": name for number, name in enumerate(names, 1)}}
        for iid, names in layers.items()
    ]
    text = json.dumps({"InstanceGroups": [{"Instances": instances}]})
    nodes = [{"name": "n2", "address": "10.0.0.2", "state": "idle"}, {"name": "n3", "address": "10.0.0.3", "state": "mixed"}]
    slurm = {"nodes": nodes, "jobs": [{"id": "7", "user": "alice", "nodes": ["n3"]}]}
    return {views.CONFIG: base64.b64encode(text.encode()).decode(), views.SLURM: slurm}


def variables(*nodes: Variables, **more: t.Any) -> Variables:
    own = {
        **OPTIONS,
        "inventory_hostname": "ml",
        "ansible_play_hosts_all": ["ml"],
        "group_names": ["cluster_ml"],
        "hyperpod_cluster_group": "cluster_ml",
        "hyperpod_run": {"cluster": {"eks_cluster_arn": "arn:eks"}},
        views.NODES: [{"instance_id": f"i-{number}", "ip": f"10.0.0.{number}"} for number in range(1, 5)],
        **more,
    }
    own["groups"] = {"hyperpod_clusters": ["ml"], "cluster_ml": ["ml", *(each["inventory_hostname"] for each in nodes)]}
    return {**own, "hostvars": {"ml": own, **{each["inventory_hostname"]: each for each in nodes}}}


def test_positions_of_slurm_nodes_are_read_from_a_controller() -> None:
    controller = node(1, "controller", **of_controller(i_2=["a", "b", "c"], i_3=["a", "b", "d"], i_1=["a", "b", "e"]))
    made = variables(controller, node(2), node(3), node(4), node(5, "login"))
    found = views.places(made)
    assert found is not None and [(each["name"], each["layers"], each["state"]) for each in found] == [
        ("ip-10-0-0-2", ("a", "b", "c"), "free"),
        ("ip-10-0-0-3", ("a", "b", "d"), "used"),
        ("ip-10-0-0-4", (), "unhealthy"),
    ]
    assert found[1]["jobs"] == ("7 of alice",)
    query = views.slurm_nodes({**made, "inventory_hostname": "ml-1"})
    assert query.addresses == ["10.0.0.2", "10.0.0.3", "10.0.0.4"]


def test_an_outdated_controller_does_not_remove_positions() -> None:
    one = node(1, "controller", **of_controller(i_3=["a", "b", "c"]))
    other = node(6, "controller", **of_controller(i_3=[]))
    (place,) = views.places(variables(one, other, node(3))) or ()
    assert place["layers"] == ("a", "b", "c")


def test_a_controller_without_the_file_still_reports_slurm_states() -> None:
    answer = of_controller()
    del answer[views.CONFIG]
    (place,) = views.places(variables(node(1, "controller", **answer), node(3))) or ()
    assert (place["layers"], place["state"]) == ((), "used")


def test_without_the_file_of_hyperpod_those_of_slurm_are_used() -> None:
    conf = "SwitchName=s0 Nodes=n[2-3]\nSwitchName=top Switches=s0\n"
    read = {"item": "/opt/slurm/etc/topology.conf", "content": base64.b64encode(conf.encode()).decode()}
    answer = of_controller(i_3=["a", "b", "c"])
    answer[views.FILES] = {"results": [{"item": "/opt/slurm/etc/topology.yaml", "failed": True}, read]}
    found = views.places(variables(node(1, "controller", **answer), node(2), node(3), node(4))) or ()
    assert [each["layers"] for each in found] == [("top", "s0"), ("a", "b", "c"), ()]
    assert views.slurm_nodes({**variables(node(1, "controller")), "inventory_hostname": "ml-1"}).files[1] == read["item"]


def test_layers_are_found_by_slurm_names() -> None:
    controller = node(1, "controller", **of_controller(i_3=["a", "b", "c"]))
    assert views.layers_by_node(variables(controller, node(2), node(3), node(4))) == {"n2": (), "n3": ("a", "b", "c")}
    assert views.layers_by_node(variables(node(1, "controller"), node(2))) is None


def test_without_an_answer_of_a_controller_positions_are_unknown() -> None:
    assert views.places(variables(node(1, "controller"), node(2))) is None


def test_kubernetes_nodes_are_read() -> None:
    assert views.places(variables(node(1), **{views.SEEN: [{"name": "a"}]})) == [{"name": "a"}]


@pytest.mark.parametrize("content", ["%%%", "bm90IGpzb24=", 7, "/w=="])
def test_an_invalid_file_has_no_layers(content: t.Any) -> None:
    controller = node(1, "controller", **{**of_controller(), views.CONFIG: content})
    (place,) = views.places(variables(controller, node(2))) or ()
    assert (place["layers"], place["state"]) == ((), "free")


def test_the_api_server_is_reached_as_configured() -> None:
    found = views.kubernetes(variables())
    assert (found.eks_cluster, found.kubeconfig, found.context) == ("arn:eks", None, None)
    assert views.kubernetes(variables(topology_context="tunnel")).eks_cluster is None


def test_invalid_options_are_refused() -> None:
    (refused,) = views.refusals(variables(topology_nodes_needed=-1))
    assert refused["text"] == "topology_nodes_needed: -1 is not allowed. Allowed: 0 to 10000."
    assert views.refusals(variables()) == []


def test_files_of_several_clusters_have_different_names() -> None:
    two = {"ansible_play_hosts_all": ["ml", "other"]}
    (refused,) = views.refusals(variables(**two, topology_mermaid="map.mmd"))
    allowed = "a name that contains {cluster}, or '' for no file"
    assert refused["text"] == f"topology_mermaid: 'map.mmd' is not allowed: the run has 2 clusters. Allowed: {allowed}."
    for fine in ({**two, "topology_mermaid": ""}, {**two, "topology_mermaid": "{cluster}/map"}, {"topology_mermaid": "map.mmd"}):
        assert views.refusals(variables(**fine)) == []
