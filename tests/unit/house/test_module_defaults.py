# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays set the cluster and its lock once by action groups, so that no task can omit them."""

from __future__ import annotations

import re
import typing as t
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
OURS, AMAZON = "mlfleet.hyperpod.", "amazon.aws."
LISTED: dict[str, list[t.Any]] = yaml.safe_load((ROOT / "meta/runtime.yml").read_text())["action_groups"]
INTERNAL = LISTED["internal_aws"]
"""The group that plays of this collection use; the public group ``aws`` also has all of amazon.aws."""
GROUPS = {"aws": [each for each in INTERNAL if not each.startswith(AMAZON)], "cluster": LISTED["cluster"], "lock": LISTED["lock"]}
FRAGMENT_OPTIONS = {f"{OURS}lock_option": "lock", f"{OURS}lock_option.cluster": "cluster_arn"}
FRAGMENT = f"{OURS}attributes."
BLOCKS = ("block", "rescue", "always")

SET_BY_TASKS = {
    ("client_vpn/tasks/cluster/found.yml", "cluster_record"): {"cluster_arn"},  # another cluster's
    ("hyperpod_cluster/tasks/converge.yml", "cluster"): {"cluster_arn", "lock"},  # for a cluster that may not exist yet
    ("hyperpod_cluster/tasks/converge.yml", "cluster_lifecycle_scripts"): {"cluster_arn"},
    ("hyperpod_cluster/tasks/converge.yml", "karpenter_info"): {"cluster_arn"},
    ("hyperpod_cluster/tasks/jobs.yml", "cluster_node_info"): {"cluster_arn"},
    ("hyperpod_cluster/tasks/removal.yml", "cluster"): {"cluster_arn", "lock"},
    ("hyperpod_cluster/tasks/removal.yml", "cluster_lifecycle_scripts"): {"cluster_arn"},
    ("hyperpod_cluster/tasks/main.yml", "cluster_lock"): {"cluster_arn"},
    ("node_access/tasks/node/locked_out.yml", "node_access"): {"cluster_arn", "lock"},  # in plays of nodes, which set no defaults
    ("login_balancer/tasks/cluster/login_name.yml", "network_load_balancer"): {"cluster_arn", "lock"},  # omitted
    ("status/tasks/cluster/look.yml", "network_load_balancer"): {"cluster_arn"},  # omitted
}
RUNS_TASKS_OF_USERS = ("offboard.yml",)
"""Its hooks may call any module of amazon.aws."""
WITHOUT_LOCK = {
    # other runs do not affect a job in the queue
    ("submit.yml", "Ensure the job is as declared on EKS clusters, and get the trusted nodes of Slurm clusters"),
    # a hold must also be recorded while another run has the lock of the cluster
    ("rollout.yml", "Get the next step of the rollout"),
    # clusters of an account and Region share the rule and the queues
    ("events.yml", "Ensure events are sent to a queue in each account and Region"),
    ("teardown.yml", "Remove secrets and records of the cluster"),  # it releases the lock of its first play
}


def documentation() -> t.Iterator[tuple[str, dict[str, t.Any]]]:
    for path in sorted((ROOT / "plugins/modules").glob("*.py")):
        text = re.search(r'^DOCUMENTATION = r"""\n(.*?)^"""', path.read_text(), re.S | re.M)
        assert text is not None, path
        yield path.stem, yaml.safe_load(text[1])


DOCUMENTED = dict(documentation())


def options(module: str) -> set[str]:
    extended = DOCUMENTED[module].get("extends_documentation_fragment", [])
    return set(DOCUMENTED[module].get("options", {})) | {FRAGMENT_OPTIONS[each] for each in extended if each in FRAGMENT_OPTIONS}


@pytest.mark.parametrize(("group", "option"), [("cluster", "cluster_arn"), ("lock", "lock")])
def test_a_group_has_the_modules_with_its_option(group: str, option: str) -> None:
    assert GROUPS[group] == [module for module in DOCUMENTED if option in options(module)]


def test_the_group_kubernetes_has_the_modules_that_connect_to_kubernetes() -> None:
    fragments = {f"{OURS}kubernetes", f"{OURS}kubernetes.kubeconfig"}
    extending = [module for module, text in DOCUMENTED.items() if fragments & set(text.get("extends_documentation_fragment", []))]
    assert LISTED["kubernetes"] == extending


def test_a_module_documents_its_groups() -> None:
    documented = {}
    for module, text in DOCUMENTED.items():
        extended = text.get("extends_documentation_fragment", [])
        documented[module] = [each.removeprefix(FRAGMENT) for each in extended if each.removeprefix(FRAGMENT) in GROUPS]
    last = {module: [group for group in GROUPS if module in GROUPS[group]][-1:] for module in DOCUMENTED}
    assert documented == last


def test_the_public_group_has_amazon_aws_and_the_internal_group() -> None:
    assert LISTED["aws"] == [{"metadata": {"extend_group": ["amazon.aws.aws", "mlfleet.hyperpod.internal_aws"]}}]


def test_the_internal_group_has_the_modules_of_amazon_aws_in_use() -> None:
    files = [*(ROOT / "roles").glob("*/tasks/**/*.yml"), *(ROOT / "playbooks").rglob("*.yml")]
    called = {each for path in files for each in re.findall(r"^ +(?:- )?(amazon\.aws\.\w+):", path.read_text(), re.M)}
    assert [each for each in INTERNAL if each.startswith(AMAZON)] == sorted(called)


def tasks(found: list[dict[str, t.Any]]) -> t.Iterator[dict[str, t.Any]]:
    for task in found:
        yield task
        for name in BLOCKS:
            yield from tasks(task.get(name, []))


def test_only_listed_tasks_of_roles_set_the_cluster_or_the_lock() -> None:
    given = {}
    for path in (ROOT / "roles").glob("*/tasks/**/*.yml"):
        for task in tasks(yaml.safe_load(path.read_text()) or []):
            for module in GROUPS["cluster"]:
                place = str(path.relative_to(ROOT / "roles")), module
                if named := {"cluster_arn", "lock"} & set(task.get(OURS + module) or {}):
                    given[place] = given.get(place, set()) | named
    assert given == SET_BY_TASKS


def plays() -> t.Iterator[tuple[str, dict[str, t.Any], bool]]:
    """Plays that call AWS, with their playbook and whether it only reads."""
    books = [(path.name, yaml.safe_load(path.read_text())) for path in sorted((ROOT / "playbooks").rglob("*.yml"))]
    reading = {name for name, book in books if any(play.get("vars", {}).get("hyperpod_reads") for play in book)}
    for name, book in books:
        for play in book:
            if any(f"group/{OURS}{group}" in play.get("module_defaults", {}) for group in ("aws", "internal_aws")):
                yield name, play, name in reading


@pytest.mark.parametrize(("book", "play", "reads"), [pytest.param(*each, id=f"{each[0]}-{each[1]['name']}") for each in plays()])
def test_a_play_that_calls_aws_sets_the_cluster_and_its_lock(book: str, play: dict[str, t.Any], reads: bool) -> None:
    if "definitions_hosts" in play["hosts"]:
        return  # their clusters may not exist yet; the role gets the ARN
    defaults = {name.removeprefix(f"group/{OURS}"): value for name, value in play["module_defaults"].items()}
    assert [each for each in defaults if each.endswith("aws")] == ["aws" if book in RUNS_TASKS_OF_USERS else "internal_aws"]
    owner = "cluster." if play["hosts"] == "hyperpod_draining" else ""  # a play of nodes
    assert defaults["cluster"] == {"cluster_arn": f"{{{{ {owner}hyperpod_cluster_arn }}}}"}
    assert defaults.get("lock") == (None if reads or (book, play["name"]) in WITHOUT_LOCK else {"lock": True})
