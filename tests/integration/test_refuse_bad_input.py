"""Invalid users, keys, variables and options are refused before any change, each with option, value and allowed values."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
import yaml
from harness import World

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abcdefghijkl"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE2lzFBCDTXxBPqsPJKGNNQHRIjqJMwSQS4cfRzTcIWs"

# Each entry has one error in the declaration, and words of the refusal: option, value, allowed values.
USERS: list[tuple[dict[str, t.Any], tuple[str, str, str]]] = [
    ({"name": "Alice", "uid": 21001}, (".name", "'Alice'", "1 to 32 characters of a-z")),
    ({"name": "a b", "uid": 21002}, (".name", "'a b'", "1 to 32 characters of a-z")),
    ({"name": "../etc", "uid": 21003}, (".name", "'../etc'", "1 to 32 characters of a-z")),
    ({"name": "root", "uid": 21004}, ("users[].name", "'root'", "cannot be declared")),
    ({"name": "hyperpod-ops", "uid": 21005}, ("users[].name", "'hyperpod-ops'", "cannot be declared")),
    ({"name": "nouid"}, ("users[nouid].uid", "None", "requires a UID")),
    ({"name": "low", "uid": 500}, ("users[low].uid", "500", "from 1000 to")),
    ({"name": "nobody2", "uid": 65534}, ("users[nobody2].uid", "65534", "except 65534")),
    ({"name": "twin", "uid": 21006}, ("users[].name", "'twin'", "declared 2 times")),
    ({"name": "twin", "uid": 21007, "home": "/fsx/twin2"}, ("users[].name", "'twin'", "Allowed: each value once.")),
    ({"name": "same1", "uid": 21008}, ("users[].uid", "21008", "declared 2 times (same1, same2)")),
    ({"name": "same2", "uid": 21008}, ("users[].uid", "21008", "Allowed: each value once.")),
    ({"name": "lowgid", "uid": 21009, "gid": 27}, ("users[lowgid].gid", "27", "from 1000 to")),
    ({"name": "group", "uid": 21010, "groups": ["A!"]}, ("users[group].groups", "'A!'", "1 to 32 characters of a-z")),
    ({"name": "colon", "uid": 21011, "comment": "a:b"}, ("users[colon].comment", "'a:b'", "one line of printable characters without ':'")),
    ({"name": "shell", "uid": 21012, "shell": "bash"}, ("users[shell].shell", "'bash'", "absolute path")),
    ({"name": "home", "uid": 21013, "home": "/etc/home"}, ("users[home].home", "'/etc/home'", "a folder at least two levels deep")),
    ({"name": "dots", "uid": 21014, "home": "/fsx/../etc"}, ("users[dots].home", "'/fsx/../etc'", "absolute path")),
    ({"name": "onfsx", "uid": 21015, "home": "/fsx"}, ("users[onfsx].home", "'/fsx'", "a folder at least two levels deep")),
    ({"name": "sudo", "uid": 21016, "sudo": ["ALL"]}, ("users[sudo].sudo", "'ALL'", "one line without the user's name")),
    (
        {"name": "nokey", "uid": 21017, "authorized_keys": [{"key": "ssh-ed25519 AAAA"}]},
        ("users[nokey].authorized_keys[0].key", "ssh-ed25519", "not allowed"),
    ),
    (
        {"name": "private", "uid": 21018, "authorized_keys": [{"key": "-----BEGIN OPENSSH PRIVATE KEY-----"}]},
        ("users[private].authorized_keys[0].key", "not allowed", "private"),
    ),
    (
        {"name": "twice", "uid": 21019, "authorized_keys": [{"key": KEY}, {"key": KEY}]},
        ("users[twice].authorized_keys[1].key", "SHA256:", "each key of a user once"),
    ),
    (
        {"name": "option", "uid": 21020, "authorized_keys": [{"key": KEY, "options": "no-such"}]},
        ("users[option].authorized_keys[0].options", "'no-such'", "not allowed"),
    ),
    (
        {"name": "expires", "uid": 21021, "authorized_keys": [{"key": KEY, "expires": "tomorrow"}]},
        ("users[expires].authorized_keys[0].expires", "'tomorrow'", "not allowed"),
    ),
]

# Variables of the roles. One run for each would be slow, so they are passed to the roles' own validation tasks.
VARIABLES: list[tuple[str, str, t.Any, tuple[str, ...]]] = [
    ("login_nodes", "login_nodes_confirm_timeout", 10, ("15 to 900",)),
    ("login_nodes", "login_nodes_max_startups", "many", ("start:rate:full",)),
    ("login_nodes", "login_nodes_max_startups", "30:30:10", ("start from 1 to full",)),
    ("login_nodes", "login_nodes_client_alive_interval", -1, ("0 to 86400",)),
    ("login_nodes", "login_nodes_gate_port", 2022, ("1 to 511",)),
    ("login_nodes", "login_nodes_people_port", 512, ("1 to 511",)),
    ("login_nodes", "login_nodes_people_port", 223, ("three different ports",)),
    ("login_nodes", "login_nodes_user_keys", "some", ("allow, deny",)),
    ("host_keys", "host_keys_types", ["dsa"], ("ed25519, ecdsa, rsa",)),
    ("accounts", "accounts_source", "ldap", ("local, external",)),
    ("accounts", "accounts_groups", [{"name": "lab"}], ("accounts_groups[lab].gid", "None", "requires a GID")),
    ("login_balancer", "login_balancer_port", 0, ("1 to 65535",)),
    ("login_balancer", "login_balancer_port", "ssh", ("int",)),
    ("login_balancer", "login_balancer_gate_port", 2022, ("1 to 511",)),
    ("login_balancer", "login_balancer_people_port", 22, ("Allowed: any port except 22 (the nodes' own sshd).",)),
    ("login_balancer", "login_balancer_gate_port", 222, ("sshd) and the value of login_balancer_people_port.",)),
    ("login_balancer", "login_balancer_idle_timeout", 30, ("60 to 6000",)),
    ("login_balancer", "login_balancer_drain_time", 4000, ("0 to 3600",)),
    ("login_balancer", "login_balancer_scheme", "public", ("internal, internet-facing",)),
    ("login_balancer", "login_balancer_name", "internal-x", ("1 to 32 letters",)),
    ("login_balancer", "login_balancer_subnets", ["lab-a"], ("subnet IDs",)),
    ("login_balancer", "login_balancer_allowed_cidrs", ["10.0.0.0/33"], ("IPv4 ranges",)),
    ("login_balancer", "login_balancer_allowed_security_groups", ["lab"], ("security group IDs",)),
    ("node_access", "node_access_scope", "some", ("all, changed",)),
]

# Invalid options of modules, and words of the refusal.
MODULES: list[tuple[str, dict[str, t.Any], tuple[str, ...]]] = [
    ("cluster_info", {"cluster_arn": "arn:aws:s3:::bucket"}, ("cluster_arn", "arn:aws:s3:::bucket")),
    ("cluster_info", {"cluster_arn": ARN, "region": "eu-west-1"}, ("region", "'eu-west-1'", "is in us-west-2")),
    ("cluster_lock", {"cluster_arn": "ml"}, ("cluster_arn", "'ml'")),
    ("cluster_node_info", {"groups": ["nope"]}, ("groups", "'nope'", "login-group")),
    ("cluster_node_info", {"node_types": {"a": "head"}}, ("node_types", "head", "controller")),
    ("node_access", {"public_key": "AAAA"}, ("public_key", "ssh-ed25519")),
    (
        "node_access",
        {"public_key": KEY, "operations_user": "Root"},
        ("operations_user", "'Root'", "a lower-case name"),
    ),
    ("node_access", {"public_key": KEY, "timeout": 0}, ("timeout", "0", "1 or more")),
    (
        "node_access",
        {"public_key": KEY, "recheck": ["i-0"]},
        ("recheck", "'i-0'", "no such node"),
    ),
    ("host_key_secret", {"cluster_arn": ARN, "recovery_window": 3, "state": "absent"}, ("recovery_window", "3", "7")),
    ("host_key_secret", {"cluster_arn": ARN, "key_types": ["dsa"]}, ("key_types", "dsa", "ed25519")),
    ("host_key_secret", {"cluster_arn": ARN, "public_keys": ["dsa AA"]}, ("public_keys", "'dsa AA'", "ssh-ed25519")),
    ("target_group", {"name": "x", "port": 22, "vpc_id": "lab"}, ("vpc_id", "'lab'")),
    ("target_group", {"name": "x_y"}, ("name", "'x_y'", "1 to 32 letters")),
    (
        "target_group",
        {"name": "x", "attributes": {"deregistration_delay": 4000}},
        ("attributes.deregistration_delay", "4000", "0 to 3600"),
    ),
    ("network_load_balancer", {"name": "x", "subnets": []}, ("subnets", "[]", "at least one subnet")),
    ("network_load_balancer", {"name": "x", "security_groups": []}, ("security_groups", "[]", "can never get any")),
    (
        "network_load_balancer",
        {"name": "x", "listeners": [{"port": 22, "target_group_name": "x", "tcp_idle_timeout": 5}]},
        ("listeners.tcp_idle_timeout", "5", "60"),
    ),
    (
        "security_group_rule",
        {"group_id": "x", "protocol": "tcp", "from_port": 22, "to_port": 22, "cidr": "10.0.0.0/8", "cluster_arn": ARN},
        ("group_id", "'x'"),
    ),
    ("sshd_config", {"max_startups": "1"}, ("max_startups", "'1'", "start:rate:full")),
    ("sshd_config", {"operations_user": "a b"}, ("operations_user", "'a b'", "user name")),
    ("sshd_config", {"authorized_keys_dir": "keys"}, ("authorized_keys_dir", "'keys'", "absolute path")),
    ("sshd_config", {"confirm_timeout": 5}, ("confirm_timeout", "5", "15 to 900")),
    ("ssh_host_keys", {"keys": {"ed25519": {"private": "x", "public": "y"}}}, ("keys", "ed25519")),
    ("ssh_host_keys", {"keys": {}}, ("keys",)),
    ("readiness_gate", {"port": 0}, ("port", "0")),
    ("ssh_endpoint_info", {"endpoints": [{"name": "a", "host": "127.0.0.1", "port": 0}]}, ("port", "0")),
]


@pytest.fixture(scope="module")
def world() -> World:
    made = World()
    made.reset(login=1, compute=0)
    return made


@pytest.fixture
def unchanged(world: World) -> t.Iterator[World]:
    """Asserts after the test that no call changed anything and that the accounts of all nodes are unchanged."""
    world.reset_calls()
    before = _passwords(world)
    yield world
    assert world.calls(mutating=True) == []
    assert _passwords(world) == before


def test_all_invalid_users_are_named_at_once(unchanged: World, tmp_path: Path):
    declared = tmp_path / "users.json"
    declared.write_text(json.dumps({"hyperpod_users": [user for user, _words in USERS]}))
    run = unchanged.playbook("login_access", "-e", f"@{declared}", env={"ANSIBLE_CALLBACK_RESULT_FORMAT": "json"})
    assert (run.rc, run.status) == (2, "failed"), run.log
    failures = " ".join(run.cluster()["failures"])
    missing = [(user, word) for user, words in USERS for word in words if word not in failures]
    assert missing == [], failures


def test_invalid_variables_are_refused(unchanged: World, tmp_path: Path):
    tasks = [
        {
            "ansible.builtin.include_role": {"name": f"mlfleet.hyperpod.{role}", "tasks_from": _validation(role)},
            "vars": {name: value},
        }
        for role, name, value, _words in VARIABLES
    ]
    messages = _attempts(unchanged, tmp_path, tasks)
    wanted = [(name, *_shown(value), *words) for _role, name, value, words in VARIABLES]
    assert _incomplete(wanted, messages) == []


def test_invalid_module_options_are_refused(unchanged: World, tmp_path: Path):
    tasks = [{f"mlfleet.hyperpod.{module}": options} for module, options, _words in MODULES]
    messages = _attempts(unchanged, tmp_path, tasks)
    assert _incomplete([words for _module, _options, words in MODULES], messages) == []


def _validation(role: str) -> str:
    return "main" if role == "node_access" else "cluster/declared"


def _attempts(world: World, folder: Path, tasks: list[dict[str, t.Any]]) -> list[str]:
    """Try each task on the cluster's host; returns the message of each failure, or an empty text."""
    results = folder / "results.json"
    add = "{{ failed_results | default({}) | combine({'NUMBER': ansible_failed_result | to_json}) }}"
    attempts = [
        {"block": [task], "rescue": [{"ansible.builtin.set_fact": {"failed_results": add.replace("NUMBER", str(number))}}]}
        for number, task in enumerate(tasks)
    ]
    written = {"ansible.builtin.copy": {"dest": str(results), "content": "{{ failed_results | to_json }}", "mode": "0600"}}
    play = {
        "hosts": "hyperpod_clusters",
        "gather_facts": False,
        "module_defaults": {
            "group/mlfleet.hyperpod.aws": {"region": "us-west-2", "profile": "lab"},
            "group/mlfleet.hyperpod.cluster": {"cluster_arn": "{{ hyperpod_cluster_arn }}"},
            "group/mlfleet.hyperpod.lock": {"lock": True},
        },
        "tasks": [*attempts, written],
    }
    book = folder / "attempts.yml"
    book.write_text(yaml.safe_dump([play], sort_keys=False))
    done = world.run(["ansible-playbook", str(book)])
    assert done.returncode == 0, done.stdout
    failed = json.loads(results.read_text())
    return [_message(json.loads(failed.get(str(number), "{}"))) for number in range(len(tasks))]


def _message(result: dict[str, t.Any]) -> str:
    """The message of a failed result; for a loop, those of the failed items."""
    failed = [item["msg"] for item in result.get("results", []) if item.get("failed")]
    return " ".join(failed or [result.get("msg", "")])


def _shown(value: t.Any) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    return tuple(str(each) for each in values if not isinstance(each, dict))


def _incomplete(wanted: t.Sequence[tuple[str, ...]], messages: t.Sequence[str]) -> list[tuple[tuple[str, ...], str]]:
    """Refusals that lack some of their words: the words and the message."""
    return [(words, message) for words, message in zip(wanted, messages) if not all(word in message for word in words)]


def _passwords(world: World) -> dict[str, str]:
    disks = world.paths.disks
    return {
        node["instance_id"]: (disks / node["instance_id"] / "root/etc/passwd").read_text() for node in world.hosts()
    }
