# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A training cluster is built and removed while runs are killed and AWS is unkind."""

from __future__ import annotations

import contextlib
import os
import re
import typing as t

import pytest
from foreign_clusters import Foreign, Style, eksctl, ids, terraform
from harness import Run
from lab.aws import cloud
from mishaps import killed_every, locked_elsewhere
from steps import step
from training_definition import ACCEPTED, NAME, QUOTAS, REMOVED, VARIABLES, Definition, everything, mutating
from training_shape import differences, shape
from training_world import TrainingWorld

pytestmark = pytest.mark.slow
STRIDE = int(os.environ.get("CAMPAIGN_STRIDE", "10"))
"""A run is killed after every so many changing calls; 1 kills a run after each of them."""
FIRST = int(os.environ.get("CAMPAIGN_FIRST", STRIDE))
"""The changing call after which the first run is killed. With the values up to the stride, each call is tested."""

LAGS = {
    "eks_creates_at_once": False,
    "eks_cluster_lag_seconds": 1,
    "eks_nodegroup_lag_seconds": 1,
    "file_system_lag_seconds": 1,
    "security_group_lag_seconds": 1,
    "security_group_rule_lag_seconds": 1,
}
DEFAULTS = {name: cloud.SETTINGS[name] for name in LAGS}
NO_NODES = {"eks_nodegroup_issues": {"system": ["NodeCreationFailure: Instances failed to join the kubernetes cluster"]}}
CALM: dict[str, t.Any] = {"eks_nodegroup_issues": {}, "capacity": {}, "eks_addon_issues": {}}
TROUBLE: tuple[tuple[str, dict[str, t.Any], tuple[str, ...]], ...] = (
    (
        "nodes never join",
        NO_NODES,
        ("Instances failed to join the kubernetes cluster", "the cause is not known (policies and access entry of the node role"),
    ),
    (
        "EC2 lacks capacity",
        {"capacity": {"gpu": 1}},
        ("InsufficientInstanceCapacity", "EC2 lacks capacity (use other subnets, instance types or a reservation)"),
    ),
    (
        "an add-on is degraded",
        {"eks_addon_issues": {"coredns": ["ClusterUnreachable: The add-on cannot reach the cluster"]}},
        ("coredns", "The add-on cannot reach the cluster"),
    ),
)
"""Settings of the lab for one run, and parts of its message."""
PATIENCE = ("-e", "training_cluster_wait_timeout=60")
"""A degraded add-on may recover, so a run waits for 10 minutes, or until this timeout."""
SECRETS = {
    "a token for Kubernetes": r"k8s-aws-v1\.\S+",
    "a signature": r"X-Amz-Signature=\w+",
    "a session token": r"(?i)session.?token['\"]?[:=]\s*['\"]?[A-Za-z0-9/+]{20,}",
    "a secret key": r"(?i)secret.?(?:access.?)?key['\"]?[:=]\s*['\"]?[A-Za-z0-9/+]{16,}",
    "a bearer": r"(?i)bearer [A-Za-z0-9._-]{10,}",
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY",
}
NAMESPACE = VARIABLES["training_cluster_namespace"]
"""The namespace of the claim, which stays in a cluster of someone else."""
KIND = dict[str, t.Any]
CREATING: tuple[tuple[str, KIND], ...] = (
    *((operation, {}) for operation in ("CreateSubnet", "CreateInternetGateway", "AllocateAddress", "CreateNatGateway")),
    *((operation, {}) for operation in ("CreateVpc", "CreateRouteTable", "CreateVpcEndpoint", "CreateSecurityGroup", "CreateRole")),
    *((operation, {}) for operation in ("PutRolePolicy", "CreateLaunchTemplate", "CreateFileSystem")),
    ("POST /clusters", {}),
    *((f"POST /clusters/{NAME}/{kind}", {}) for kind in ("access-entries", "addons", "node-groups")),
)
"""Calls that create something, each with parameters that select some of them."""


@pytest.fixture
def world() -> t.Iterator[TrainingWorld]:
    with TrainingWorld(NAME) as made:
        made.world.settings(service_quotas=QUOTAS, price_list=True)
        yield made
        made.world.clear_faults()
    made.world.settings(service_quotas={}, price_list=False, **DEFAULTS)


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, t.Any]:
    """The resources after an undisturbed build, whose output with full verbosity has no secret."""
    with TrainingWorld(NAME) as made:
        made.world.settings(service_quotas=QUOTAS, price_list=True)
        arguments = (*Definition(made).arguments, "-vvv", *ACCEPTED)
        built = made.world.playbook("training_cluster", *arguments, env={"ANSIBLE_INJECT_INVOCATION": "true"})
        assert built.rc == 0, built.log
        return {"shape": shape(made), "output": built.output}


def assert_unchanged(definition: Definition, *arguments: str) -> None:
    world = definition.world
    world.world.reset_calls()
    world.reset_changes()
    again = definition.playbook(*arguments)
    assert (again.rc, again.changed) == (0, 0), again.log
    assert mutating(world) == [] and world.changes() == []


def test_builds_and_removals_that_are_killed_can_be_repeated(world: TrainingWorld, undisturbed: dict[str, t.Any]) -> None:
    definition, before = Definition(world), everything(world)
    with step("the build"):
        died = killed_every(world.world, STRIDE, FIRST, "training_cluster", *definition.arguments, *ACCEPTED)
        print(f"killed after {', '.join(died)}")
        assert len(died) > 3
        assert differences(undisturbed["shape"], shape(world)) == {}
    with step("the next run"):
        assert_unchanged(definition, *ACCEPTED)
    with step("the removal"):
        died = killed_every(world.world, STRIDE, FIRST, "training_cluster", *definition.arguments, *REMOVED)
        print(f"killed after {', '.join(died)}")
        assert died
        assert everything(world) == before
    with step("the next removal"):
        assert_unchanged(definition, *REMOVED)


def test_a_build_completes_although_aws_is_unkind(world: TrainingWorld, undisturbed: dict[str, t.Any]) -> None:
    definition, before = Definition(world), everything(world)
    with step("calls are throttled, reads lag, and each kind of creating call loses its reply once"):
        world.world.settings(**LAGS)
        for operation, where in CREATING:
            world.world.fault(kind="cut_after", operation=operation, where=where, times=1)
        world.world.fault(kind="throttle", probability=0.1, seed=37, besides=["ssm"])
        world.world.reset_calls()
        built = definition.playbook(*ACCEPTED)
        assert built.rc == 0, built.log
        assert unused(world) == []
        world.world.clear_faults()
        assert differences(undisturbed["shape"], shape(world)) == {}
    with step("the next run"):
        assert_unchanged(definition, *ACCEPTED)
    with step("the removal"):
        world.world.fault(kind="throttle", probability=0.1, seed=73, besides=["ssm"])
        removed = definition.playbook(*REMOVED)
        assert removed.rc == 0, removed.log
        world.world.clear_faults()
        assert everything(world) == before


def unused(world: TrainingWorld) -> list[str]:
    """The operations of ``CREATING`` that no run called."""
    called = {call["operation"] for call in world.world.calls(mutating=True)}
    return [operation for operation, _where in CREATING if operation not in called]


@pytest.mark.parametrize("style", [eksctl, terraform])
def test_a_cluster_of_someone_else_is_extended_and_otherwise_unchanged(world: TrainingWorld, style: t.Callable[[str], Style]) -> None:
    foreign = Foreign(world, style(NAME))
    foreign.create()
    try:
        extend_and_leave(world, foreign)
    finally:
        foreign.remove()


def extend_and_leave(world: TrainingWorld, foreign: Foreign) -> None:
    theirs = foreign.seen()
    more = {"training_cluster_public_access_cidrs": [], "training_cluster_version": "", "training_cluster_node_subnet_id": foreign.subnets[0]}
    definition, before = Definition(world, **more), everything(world)
    with step("the run adds a group, an add-on and the file system"):
        added = definition.playbook(*ACCEPTED)
        assert added.rc == 0, added.log
        which = {"clusterName": NAME, "nodegroupName": "gpu"}
        assert world.aws("eks").describe_nodegroup(**which)["nodegroup"]["status"] == "ACTIVE"
        assert "aws-fsx-csi-driver" in world.aws("eks").list_addons(clusterName=NAME)["addons"]
        assert len(everything(world)["file systems"]) == 1
        assert differences(theirs, foreign.seen(ids(theirs))) == {}
    with step("the next run changes nothing"):
        assert_unchanged(definition, *ACCEPTED)
    with step("the removal removes only what the run added"):
        removed = definition.playbook(*REMOVED)
        assert removed.rc == 0, removed.log
        assert everything(world) == before
        after = foreign.seen()
        after["objects"] = {each: value for each, value in after["objects"].items() if NAMESPACE not in each.split("/")}
        assert differences(theirs, after) == {}


def said(run: Run) -> str:
    return " ".join(run.output.split())


def test_failures_are_explained_and_the_next_run_completes(world: TrainingWorld, undisturbed: dict[str, t.Any]) -> None:
    definition = Definition(world, training_cluster_vpc_cidr="10.0.0.0/22")
    world.world.reset_calls()
    with step("a version in extended support"):
        old = definition.playbook(*ACCEPTED, "-e", "training_cluster_version=1.33")
        assert old.rc != 0 and "Kubernetes 1.33 is in extended support, which costs 0.50 USD more for each hour" in said(old), old.log
    with step("a run on another machine"), locked_elsewhere(world.world, key=f"eks/{NAME}"):
        locked = definition.playbook(*ACCEPTED)
        assert locked.rc != 0 and f"Cluster {NAME} is locked by ops@elsewhere until" in said(locked), locked.log
        assert "Wait for that run to end, then run again." in said(locked)
    assert set(mutating(world)) <= {"PutParameter", "DeleteParameter"}, "only the lock of the other machine is written"
    fails(definition, *TROUBLE[0])
    with full(world, f"{NAME}.nodes"):
        fails(definition, "a subnet without free addresses", {}, ("use subnets with more free addresses, or release addresses",))
    for each in TROUBLE[1:]:
        fails(definition, *each)
    with step("a file system that FSx cannot create"):
        fsx = world.aws("fsx")
        world.world.fault(kind="fail_later", operation="CreateFileSystem", code="FSx has no capacity")
        for _turn in range(2):
            failed = definition.playbook(*ACCEPTED)
            assert failed.rc != 0 and "FSx has no capacity" in said(failed) and "FSx cannot repair it." in said(failed), failed.log
        world.world.clear_faults()
        [broken] = fsx.describe_file_systems()["FileSystems"]
        fsx.delete_file_system(FileSystemId=broken["FileSystemId"])
    with step("the next run completes"):
        world.world.eventually(lambda: assert_none(fsx.describe_file_systems()["FileSystems"]))
        built = definition.playbook(*ACCEPTED)
        assert built.rc == 0, built.log
        kinds = {each for each in differences(undisturbed["shape"], shape(world)) if each not in ("vpcs", "subnets", "route tables")}
        assert kinds == set(), differences(undisturbed["shape"], shape(world))
        assert_unchanged(definition, *ACCEPTED)


def fails(definition: Definition, name: str, settings: dict[str, t.Any], sentences: t.Iterable[str]) -> None:
    """One run with these settings fails with these sentences."""
    with step(name):
        definition.world.world.settings(**settings)
        failed = definition.playbook(*ACCEPTED, *PATIENCE)
        definition.world.world.settings(**CALM)
        assert failed.rc != 0 and [each for each in sentences if each not in said(failed)] == [], failed.log


def assert_none(found: list[t.Any]) -> None:
    assert not found


@contextlib.contextmanager
def full(world: TrainingWorld, name: str) -> t.Iterator[None]:
    """A subnet whose addresses are all in use by interfaces of someone else."""
    ec2 = world.aws("ec2")
    [subnet] = ec2.describe_subnets(Filters=[{"Name": "tag:Name", "Values": [name]}])["Subnets"]
    made = []
    try:
        for _each in range(subnet["AvailableIpAddressCount"]):
            made.append(ec2.create_network_interface(SubnetId=subnet["SubnetId"])["NetworkInterface"]["NetworkInterfaceId"])
        yield
    finally:
        for each in made:
            ec2.delete_network_interface(NetworkInterfaceId=each)


def test_the_output_with_full_verbosity_has_no_secret(undisturbed: dict[str, t.Any]) -> None:
    """Neither tokens for Kubernetes, nor keys, nor passwords. The certificate of the API server is public."""
    assert "module_args:" in undisturbed["output"], "the output must have options of modules"
    found = {name: sorted(set(re.findall(pattern, undisturbed["output"])))[:3] for name, pattern in SECRETS.items()}
    assert {name: each for name, each in found.items() if each} == {}
