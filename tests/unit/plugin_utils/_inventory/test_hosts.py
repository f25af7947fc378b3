# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources, discovery and hosts of the inventory plugin."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import typing as t

import boto3
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster, Group, Node
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory import group_vars, hosts, sources
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory.discovery import (
    Discoverer,
    Discovery,
    Found,
    NoClient,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory.ssh_options import Access
from botocore.stub import Stubber

ACCOUNT = "111111111111"
ACCESS = Access.checked(user="hyperpod-ops", state_dir="~/.mlfleet/hyperpod", private_key_file=None)


def arn(cluster_id: str = "abc123def456", account: str = "111111111111", region: str = "us-west-2") -> str:
    return f"arn:aws:sagemaker:{region}:{account}:cluster/{cluster_id}"


def found(key: str = "ml", *, connection: str = "ssm", cluster_arn: str = "", profile: str | None = "lab") -> Found:
    text = cluster_arn or arn()
    cluster = Cluster("ml", text, text[-12:], "us-west-2", text.split(":")[4], "aws", "InService", "slurm")
    nodes = (
        Node("i-c", "controller", "controller", "ml.c5.large", "Running", "", "2026-01-01", "", "10.1.1.10"),
        Node("i-l", "Login", "login", "ml.m5.large", "Running", "", "2026-01-01", "", "10.1.1.11"),
        Node("i-w", "worker-1", None, "ml.p5.48xlarge", "Pending", "", "2026-01-02", "", "10.1.1.12"),
    )
    return Found(cluster, nodes, profile, connection, key, None)


@pytest.mark.parametrize(
    "options, option",
    [
        ({"connection": "telnet"}, "connection"),
        ({"filters": {"names": "x"}}, "filters"),
        ({"filters": {"orchestrator": "k8s"}}, "filters.orchestrator"),
        ({"filters": {"tags": ["a"]}}, "filters.tags"),
        ({"node_types": {"g": "head"}}, "node_types.g"),
        ({"node_types": ["g"]}, "node_types"),
        ({"accounts": ["research"]}, "accounts[0]"),
        ({"accounts": [{"region": "us-west-2"}]}, "accounts[0]"),
        ({"accounts": [{"regions": "us-west-2"}]}, "accounts[0].regions"),
        ({"accounts": [{}, {"clusters": [{"key": "a"}]}]}, "accounts[1].clusters[0]"),
        ({"clusters": [{"name": "a", "arn": arn()}]}, "clusters[0]"),
        ({"clusters": [{"arn": "arn:aws:eks:x"}]}, "clusters[0].arn"),
        ({"clusters": [{"name": "a", "key": "a b"}]}, "clusters[0].key"),
        ({"clusters": ["a"], "accounts": [{}]}, "clusters"),
    ],
)
def test_invalid_sources_are_refused_by_option(options: dict[str, t.Any], option: str) -> None:
    with pytest.raises(Refused, match="^" + re.escape(option) + ": "):
        sources.accounts_of(options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"filters": {"names": "x"}}, "filters: 'names' is not allowed: the nearest name is name. Allowed: name, tags, orchestr"),
        ({"accounts": [{"region": "x"}]}, "accounts[0]: 'region' is not allowed: the nearest name is regions. Allowed: profile,"),
        ({"accounts": [{"colour": "x"}]}, "accounts[0]: 'colour' is not allowed. Allowed: profile, regions,"),
    ],
)
def test_a_misspelt_option_gets_a_suggestion(options: dict[str, t.Any], message: str) -> None:
    with pytest.raises(Refused, match="^" + re.escape(message)):
        sources.accounts_of(options)


def test_accounts_inherit_from_the_top_level() -> None:
    options = {
        "profile": "base",
        "regions": ["us-west-2"],
        "connection": "direct",
        "node_types": {"a": "login"},
        "accounts": [
            {},
            {
                "profile": "other",
                "regions": ["us-east-1"],
                "node_types": {"b": "compute"},
                "clusters": ["x", {"name": "y", "key": "yy", "connection": "jump", "node_types": {"a": "compute"}}],
            },
        ],
    }
    first, second = sources.accounts_of(options)
    assert (first.profile, first.regions, first.connection, first.wishes) == ("base", ("us-west-2",), "direct", None)
    assert (second.profile, second.regions, second.node_types) == (
        "other",
        ("us-east-1",),
        {"a": "login", "b": "compute"},
    )
    assert second.wishes == (
        sources.Wish("x", None, "direct", {"a": "login", "b": "compute"}),
        sources.Wish("y", "yy", "jump", {"a": "compute", "b": "compute"}, ("a",)),
    )


def test_two_clusters_with_one_key_are_refused_with_both_arns() -> None:
    other = arn("zzz123def456", "222222222222")
    for key in ("prod-1", "prod_1"):
        with pytest.raises(Refused) as error:
            hosts.check_keys([found("prod-1"), found(key, cluster_arn=other, profile="other")])
        assert arn() in str(error.value) and other in str(error.value) and "profile other" in str(error.value)


def test_one_cluster_found_twice_is_refused() -> None:
    with pytest.raises(Refused, match="found twice"):
        hosts.check_keys([found("a"), found("b", profile=None)])


@pytest.mark.parametrize(
    ("key", "there", "message"),
    [
        ("ml", found("ml"), None),
        ("ml", found("b", cluster_arn=arn("b" * 12)), None),
        ("m-l", found("m_l", cluster_arn=arn("b" * 12)), f"Two clusters have the key 'm-l', or keys that result in the same group name: {arn('b' * 12)}"),
        ("ml", found("b"), f"Cluster {arn()} is found twice, with the key 'b' in a different source and with the key 'ml' in this source."),
    ],
    ids=["the same", "others", "a key", "a cluster"],
)
def test_sources_do_not_merge_clusters(key: str, there: Found, message: str | None) -> None:
    others = [host["vars"] for host in hosts.hosts_of(there, ACCESS).values() if "hyperpod_clusters" in host["groups"]]
    with contextlib.nullcontext() if message is None else pytest.raises(Refused, match=re.escape(message)):
        hosts.check_neighbours(hosts.hosts_of(found(key), ACCESS), [*others, {"ansible_host": "of a static inventory"}])


def test_hosts_and_groups_are_created() -> None:
    made = hosts.hosts_of(found("my.key"), ACCESS)
    assert list(made) == ["my.key", "my.key-i-c", "my.key-i-l", "my.key-i-w"]
    assert made["my.key"]["groups"] == ["hyperpod_clusters", "cluster_my_key", "orchestrator_slurm"]
    assert made["my.key-i-l"]["groups"] == [
        "hyperpod_nodes",
        "cluster_my_key",
        "orchestrator_slurm",
        "instance_group_Login",
        "node_type_login",
    ]
    assert not [group for group in made["my.key-i-w"]["groups"] if group.startswith("node_type_")]
    assert json.loads(json.dumps(made)) == made


def options_of(host: dict[str, t.Any]) -> dict[str, str]:
    words = shlex.split(host["vars"]["ansible_ssh_common_args"])
    assert words[::2] == ["-o"] * (len(words) // 2)
    return dict(word.split("=", 1) for word in words[1::2])


@pytest.mark.parametrize("connection", sources.CONNECTIONS)
def test_every_connection_verifies_host_keys_with_one_file(connection: str) -> None:
    made = hosts.hosts_of(found(connection=connection), ACCESS)
    for instance_id in ("i-c", "i-l", "i-w"):
        host = made[f"ml-{instance_id}"]
        options = options_of(host)
        assert options["HostKeyAlias"] == f"{instance_id}.abc123def456"
        assert options["StrictHostKeyChecking"] == "yes"
        assert options["UserKnownHostsFile"] == "${HOME}/.mlfleet/hyperpod/known_hosts"
        assert options["GlobalKnownHostsFile"] == "/dev/null"
        assert (options["ForwardAgent"], options["ForwardX11"]) == ("no", "no")
        assert host["vars"]["ansible_ssh_host_key_checking"] is True
        assert "StrictHostKeyChecking=no" not in host["vars"]["ansible_ssh_common_args"]
        assert "{{" not in json.dumps(host)


def test_an_ssm_connection_has_the_full_target() -> None:
    host = hosts.hosts_of(found(profile="a b%c"), ACCESS)["ml-i-l"]
    assert host["vars"]["ansible_host"] == "sagemaker-cluster:abc123def456_Login-i-l"
    assert options_of(host)["ProxyCommand"] == (
        '"${HOME}/.mlfleet/hyperpod/ssm-proxy" --target sagemaker-cluster:abc123def456_Login-i-l '
        "--region us-west-2 --account 111111111111 --profile 'a b%%c'"
    )


def test_a_jump_connection_uses_the_controller_with_the_same_checks() -> None:
    made = hosts.hosts_of(found(connection="jump"), ACCESS)
    assert made["ml-i-l"]["vars"]["ansible_host"] == "i-l.abc123def456"
    for instance_id, ip in (("i-l", "10.1.1.11"), ("i-c", "10.1.1.10")):
        options = options_of(made[f"ml-{instance_id}"])
        assert options["HostName"] == ip
        words = shlex.split(options["ProxyCommand"])
        assert words[:4] == ["${HOME}/.mlfleet/hyperpod/ssm-proxy", "--jump", "i-c.abc123def456", f"{ip}:22"]
        assert "StrictHostKeyChecking=yes" in words and "HostKeyAlias=i-c.abc123def456" in words
        assert "ForwardAgent=no" in words and "ForwardX11=no" in words
        inner = [word for word in words if word.startswith("ProxyCommand=")]
        assert len(inner) == 1 and "--target sagemaker-cluster:abc123def456_controller-i-c " in inner[0]


def test_equal_addresses_in_two_clusters_are_different_hosts() -> None:
    for connection in sources.CONNECTIONS:
        one = hosts.hosts_of(found("a", connection=connection), ACCESS)
        two = hosts.hosts_of(found("b", connection=connection, cluster_arn=arn("zzz123def456")), ACCESS)
        names = [host["vars"].get("ansible_host") for host in (*one.values(), *two.values())]
        named = [name for name in names if name]
        assert len(named) == 6 == len(set(named))


def test_another_state_folder_is_passed_to_ssh_and_to_the_wrapper() -> None:
    access = Access.checked(user="ops", state_dir="/var/lib/x/", private_key_file="~/.ssh/k")
    host = hosts.hosts_of(found(), access)["ml-i-l"]
    assert options_of(host)["UserKnownHostsFile"] == "/var/lib/x/known_hosts"
    assert options_of(host)["ProxyCommand"].startswith('"/var/lib/x/ssm-proxy" --state-dir /var/lib/x --target ')
    assert host["vars"]["ansible_ssh_private_key_file"] == "~/.ssh/k"


@pytest.mark.parametrize("state_dir", ["relative", "~/with space", "/a;b", "~", "${HOME}/x"])
def test_invalid_state_folders_are_refused(state_dir: str) -> None:
    with pytest.raises(Refused, match="^state_dir: "):
        Access.checked(user="ops", state_dir=state_dir, private_key_file=None)


def test_a_jump_connection_prefers_the_oldest_running_controller() -> None:
    def node(instance_id: str, node_type: str, status: str, launched: str) -> Node:
        return Node(instance_id, "g", node_type, "t", status, "", launched, "")

    login = node("i-l", "login", "Running", "2025")
    down = node("i-a", "controller", "Pending", "2024")
    old, new = node("i-z", "controller", "Running", "2024"), node("i-b", "controller", "Running", "2026")
    assert hosts.jump_node([login, down, new, old]) == old
    assert hosts.jump_node([login, down]) == login
    assert hosts.jump_node([down]) is None


class Answers:
    """Stubbed clients by profile and region."""

    def __init__(self) -> None:
        self.stubs: list[Stubber] = []
        self.apis: dict[tuple[str | None, str | None], HyperPod] = {}

    def at(self, profile: str, region: str) -> Stubber:
        client = boto3.client("sagemaker", region_name=region, aws_access_key_id="x", aws_secret_access_key="x")
        stub = Stubber(client)
        stub.activate()
        self.stubs.append(stub)
        self.apis[(profile, region)] = HyperPod(client)
        return stub

    def discover(self, **options: t.Any) -> Discovery:
        def connect(profile: str | None, region: str | None) -> HyperPod:
            if (profile, region) not in self.apis:
                raise NoClient("The config profile could not be found")
            return self.apis[(profile, region)]

        made = Discoverer(connect, lambda profile, region: ACCOUNT, threads=1, read_tags=False).discover(sources.accounts_of(options))
        for stub in self.stubs:
            stub.assert_no_pending_responses()
        return made


def described(name: str, cluster_arn: str, **more: t.Any) -> dict[str, t.Any]:
    return {"ClusterArn": cluster_arn, "ClusterName": name, "ClusterStatus": "InService", "InstanceGroups": [], **more}


def listed(*clusters: tuple[str, str]) -> dict[str, t.Any]:
    return {
        "ClusterSummaries": [
            {"ClusterArn": each, "ClusterName": name, "CreationTime": 0, "ClusterStatus": "InService"}
            for name, each in clusters
        ]
    }


NO_NODES: dict[str, t.Any] = {"ClusterNodeSummaries": []}


def test_names_are_filtered_before_any_call_about_a_cluster() -> None:
    answers = Answers()
    stub = answers.at("a", "us-west-2")
    stub.add_response("list_clusters", listed(("ml-1", arn()), ("other", arn("zzz123def456"))))
    stub.add_response("describe_cluster", described("ml-1", arn()), {"ClusterName": arn()})
    stub.add_response("list_cluster_nodes", NO_NODES)
    made = answers.discover(profile="a", regions=["us-west-2"], filters={"name": "ml-*"})
    assert [each.cluster.name for each in made.found] == ["ml-1"] and made.failures == ()


def test_tags_are_filtered_before_any_call_about_nodes() -> None:
    answers = Answers()
    stub = answers.at("a", "us-west-2")
    clusters = {"ours": arn(), "foreign": arn("zzz123def456"), "untagged": arn("yyy123def456")}
    stub.add_response("list_clusters", listed(*clusters.items()))
    for name, team in (("ours", "research"), ("foreign", "sales"), ("untagged", None)):
        stub.add_response("describe_cluster", described(name, clusters[name]), {"ClusterName": clusters[name]})
        tags = [{"Key": "team", "Value": team}] if team else []
        stub.add_response("list_tags", {"Tags": tags}, {"ResourceArn": clusters[name]})
        if name == "ours":
            stub.add_response("list_cluster_nodes", NO_NODES)
    made = answers.discover(profile="a", regions=["us-west-2"], filters={"tags": {"team": "r*"}})
    assert [each.cluster.name for each in made.found] == ["ours"] and made.failures == ()


def test_a_failing_account_is_named_and_the_others_load() -> None:
    answers = Answers()
    answers.at("bad", "us-west-2").add_client_error("list_clusters", "AccessDeniedException", "no", 403)
    stub = answers.at("good", "us-west-2")
    stub.add_response("list_clusters", listed(("ml", arn())))
    stub.add_response("describe_cluster", described("ml", arn()))
    stub.add_response("list_cluster_nodes", NO_NODES)
    made = answers.discover(regions=["us-west-2"], accounts=[{"profile": p} for p in ("missing", "bad", "good")])
    assert [each.cluster.name for each in made.found] == ["ml"]
    denied, missing = made.failures
    assert denied.startswith("profile bad, region us-west-2: ListClusters for all clusters failed")
    assert missing == "profile missing, region us-west-2: The config profile could not be found"


def test_a_listing_that_fails_half_way_drops_the_whole_cluster() -> None:
    answers = Answers()
    stub = answers.at("a", "us-west-2")
    stub.add_response("describe_cluster", described("ml", arn()))
    summary = {
        "InstanceGroupName": "g",
        "InstanceId": "i-0123456789abcdef0",
        "InstanceType": "ml.m5.large",
        "LaunchTime": 0,
        "InstanceStatus": {"Status": "Running"},
    }
    stub.add_response("list_cluster_nodes", {"ClusterNodeSummaries": [summary], "NextToken": "more"})
    stub.add_client_error("list_cluster_nodes", "InternalFailure", "broken", 500)
    made = answers.discover(profile="a", regions=["us-west-2"], clusters=[arn()])
    assert made.found == () and len(made.failures) == 1
    assert f"cluster {arn()}: ListClusterNodes" in made.failures[0]


def test_a_name_is_missing_only_if_no_region_has_it() -> None:
    answers = Answers()
    for region, known in (("us-east-1", False), ("us-west-2", True)):
        stub = answers.at("a", region)
        for name in ("ml", "prod_3"):
            if known and name == "ml":
                stub.add_response("describe_cluster", described("ml", arn()), {"ClusterName": "ml"})
                stub.add_response("list_cluster_nodes", NO_NODES)
            else:
                stub.add_client_error("describe_cluster", "ResourceNotFound", "none")
        there = [(f"prod-{number}", arn()) for number in range(6)] if known else [(f"dev-{number}", arn()) for number in range(7)]
        stub.add_response("list_clusters", listed(*there))
    made = answers.discover(profile="a", regions=["us-east-1", "us-west-2"], clusters=["ml", "prod_3"])
    assert [each.key for each in made.found] == ["ml"]
    assert made.failures == (
        "profile a, regions us-east-1, us-west-2, cluster prod_3: no such cluster exists; did you mean prod-3? The credentials can list: dev-0, "
        "dev-1, dev-2, dev-3, dev-4, dev-5, dev-6, prod-0, prod-1, prod-2 and 3 more",
    )


@pytest.mark.parametrize("code", ["ResourceNotFound", "AccessDeniedException"])
def test_an_arn_of_another_account_is_reported_for_any_error_of_aws(code: str) -> None:
    answers = Answers()
    stub = answers.at("a", "us-west-2")
    stub.add_client_error("describe_cluster", code, "none", 400)
    if code == "ResourceNotFound":
        stub.add_response("list_clusters", listed())
    made = answers.discover(profile="a", regions=["us-west-2"], clusters=[arn(account="222222222222")])
    assert made.failures == (
        f"profile a, region us-west-2, cluster {arn(account='222222222222')}: the ARN belongs to account 222222222222, but "
        "the credentials belong to 111111111111; use a profile of 222222222222",
    )


def test_an_arn_is_looked_up_in_its_region_only() -> None:
    answers = Answers()
    answers.at("a", "us-west-2")
    stub = answers.at("a", "eu-west-1")
    there = arn(region="eu-west-1")
    stub.add_response("describe_cluster", described("ml", there), {"ClusterName": there})
    stub.add_response("list_cluster_nodes", NO_NODES)
    made = answers.discover(profile="a", regions=["us-west-2"], clusters=[{"arn": there, "key": "far"}])
    assert [each.key for each in made.found] == ["far"] and made.failures == ()


def test_clusters_of_the_other_orchestrator_are_not_listed() -> None:
    answers = Answers()
    stub = answers.at("a", "us-west-2")
    stub.add_response("list_clusters", listed(("k", arn())))
    eks = {"Eks": {"ClusterArn": "arn:aws:eks:us-west-2:111111111111:cluster/k"}}
    stub.add_response("describe_cluster", described("k", arn(), Orchestrator=eks))
    made = answers.discover(profile="a", regions=["us-west-2"], filters={"orchestrator": "slurm"})
    assert made.found == () and made.failures == ()


def test_filtered_clusters_are_counted_by_account_and_region() -> None:
    answers = Answers()
    stub = answers.at("a", "us-west-2")
    clusters = {"ours": arn(), "foreign": arn("zzz123def456"), "eks": arn("yyy123def456")}
    stub.add_response("list_clusters", listed(*clusters.items(), ("other", arn("xxx123def456"))))
    eks = {"Eks": {"ClusterArn": "arn:aws:eks:us-west-2:111111111111:cluster/k"}}
    for name, team in (("ours", "research"), ("foreign", "sales"), ("eks", None)):
        more = {} if team else {"Orchestrator": eks}
        stub.add_response("describe_cluster", described(name, clusters[name], **more), {"ClusterName": clusters[name]})
        if team:
            tags = [{"Key": "team", "Value": team}]
            stub.add_response("list_tags", {"Tags": tags}, {"ResourceArn": clusters[name]})
        if name == "ours":
            stub.add_response("list_cluster_nodes", NO_NODES)
    answers.at("a", "eu-west-1").add_response("list_clusters", listed())
    filters = {"name": ["ours", "[fe]*"], "orchestrator": "slurm", "tags": {"team": "r*"}}
    made = answers.discover(profile="a", regions=["us-west-2", "eu-west-1"], filters=filters)
    assert made.read == (
        "profile a, region eu-west-1: 0 clusters found",
        "profile a, region us-west-2: 4 clusters found; 1 excluded by filters.name: ours, [fe]*; "
        "1 excluded by filters.orchestrator: slurm; 1 excluded by filters.tags.team: r*",
    )


def test_the_cluster_host_has_the_number_of_nodes() -> None:
    assert hosts.hosts_of(found(), ACCESS)["ml"]["vars"]["hyperpod_node_count"] == 3


def test_missing_groups_are_reported_with_the_existing_ones() -> None:
    answers = Answers()
    stub = answers.at("a", "us-west-2")
    groups = [{"InstanceGroupName": name} for name in ("controller-machine", "login-group", "worker-group-1")]
    for name, cluster_arn in (("legacy", arn()), ("other", arn("zzz123def456"))):
        more = {"InstanceGroups": groups} if name == "legacy" else {"InstanceGroups": [{"InstanceGroupName": "login-nodes"}]}
        stub.add_response("describe_cluster", described(name, cluster_arn, **more), {"ClusterName": name})
        stub.add_response("list_cluster_nodes", NO_NODES)
    legacy = {"name": "legacy", "node_types": {"login-nodes": "login", "controller-machine": "controller"}}
    made = answers.discover(
        profile="a", regions=["us-west-2"], node_types={"worker": "compute", "login-group": "login"}, clusters=[legacy, "other"]
    )
    assert made.odd == (
        "node_types: 'login-nodes' is not an instance group of cluster legacy; did you mean login-group? Allowed: "
        "controller-machine, login-group, worker-group-1",
        "node_types: 'worker' is not an instance group of any cluster that was read; did you mean worker-group-1? Allowed: "
        "controller-machine, login-group, login-nodes, worker-group-1",
    )


def test_nodes_have_the_tags_of_their_cluster() -> None:
    tagged = Found(**{**vars(found()), "tags": {"team": "research"}})
    assert {host["vars"]["hyperpod_tags"]["team"] for host in hosts.hosts_of(tagged, ACCESS).values()} == {"research"}
    assert not [host for host in hosts.hosts_of(found(), ACCESS).values() if "hyperpod_tags" in host["vars"]]


def test_the_cluster_host_has_its_groups() -> None:
    group = Group("Login", "login", 3, 4, "ml.m5.large", "", "InService", instance_types=("ml.m5.large",))
    each = found()
    with_group = Found(
        Cluster(**{**vars(each.cluster), "groups": (group,)}), each.nodes, None, "ssm", "ml", {"team": "a"}
    )
    variables = hosts.hosts_of(with_group, ACCESS)["ml"]["vars"]
    assert variables["hyperpod_instance_groups"] == [
        {
            "name": "Login",
            "node_type": "login",
            "count": 3,
            "target": 4,
            "instance_type": "ml.m5.large",
            "instance_types": ["ml.m5.large"],
        }
    ]
    assert variables["hyperpod_node_types"] == {"Login": "login"}
    assert (variables["hyperpod_profile"], variables["hyperpod_tags"]) == (None, {"team": "a"})


@pytest.mark.parametrize(
    ("name", "complete", "reason"),
    [
        ("cluster_prod_eu.yml", True, ""),
        ("cluster_prod_eu", True, ""),
        ("cluster_prod-eu.yml", False, "; rename it to match the group cluster_prod_eu"),
        ("cluster_prod.eu", False, "; rename it to match the group cluster_prod_eu"),
        ("cluster_prod_us.yaml", True, "; did you mean cluster_prod_eu? The groups of clusters are cluster_ml, cluster_prod_eu"),
        ("cluster_0123456789abcdef", True, ". The groups of clusters are cluster_ml, cluster_prod_eu"),
        ("cluster_prod_us.yaml", False, ""),
    ],
)
def test_variables_for_no_group_are_reported(name: str, complete: bool, reason: str) -> None:
    groups = ("all", "hyperpod_nodes", "cluster_prod_eu", "cluster_ml")
    warnings = group_vars.without_group([name], groups, complete=complete)
    assert warnings == ([f"group_vars/{name} applies to no cluster{reason}"] if reason else [])
