# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps for an EKS cluster, and the parameters of their requests."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY, Plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.model import Cluster, Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.plan import left, plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.versions import Insight, Version

from .clusters import ARN, described

VERSIONS = (
    Version("1.35", "STANDARD_SUPPORT", default=True),
    Version("1.34", "STANDARD_SUPPORT"),
    Version("1.33", "EXTENDED_SUPPORT", extended_ends="2027-07-29"),
    Version("1.32", "UNSUPPORTED"),
)
NEW: dict[str, t.Any] = {
    "role_arn": "role",
    "subnet_ids": ("subnet-1", "subnet-2"),
    "endpoint_public_access": False,
    "endpoint_private_access": True,
}
FINE = (Insight("fine", "PASSING", "1.35"),)


def wanted(version: str | None = None, *, tags: t.Any = None, wait: bool = True, accept: tuple[str, ...] = (), **settings: t.Any) -> Desired:
    return Desired("ml", version=version, settings=settings, tags=tags, wait=wait, accept_insights=accept)


def state(insights: tuple[Insight, ...] = FINE, **have: t.Any) -> State:
    return State(Cluster.from_api(described(**have)), VERSIONS, insights)


def sent(made: Plan) -> list[tuple[str, dict[str, t.Any]]]:
    return [(step.operation, dict(step.arguments)) for step in made.steps]


def notes(made: Plan) -> list[str]:
    return [str(each) for each in made.notes]


def test_a_cluster_as_declared_needs_no_change() -> None:
    everything = {
        **NEW,
        "endpoint_public_access": True,
        "public_access_cidrs": ("203.0.113.0/24",),
        "security_group_ids": ("sg-1",),
        "logging": ("api",),
        "support_type": "EXTENDED",
        "authentication_mode": "API_AND_CONFIG_MAP",
        "deletion_protection": False,
        "bootstrap_self_managed_addons": True,
    }
    for desired in (wanted(), wanted("1.34", tags={"a": "b"}, **everything)):
        made = plan(desired, state())
        assert not made and made.notes == ()


def test_a_creation_sends_safe_defaults() -> None:
    made = plan(wanted(**NEW), State(None, VERSIONS))
    assert sent(made) == [
        (
            "CreateCluster",
            {
                "name": "ml",
                "roleArn": "role",
                "resourcesVpcConfig": {"subnetIds": ["subnet-1", "subnet-2"], "endpointPublicAccess": False, "endpointPrivateAccess": True},
                "accessConfig": {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False},
                "bootstrapSelfManagedAddons": False,
                "upgradePolicy": {"supportType": "STANDARD"},
            },
        )
    ]
    after = made.after(State(None, VERSIONS)).cluster
    assert (after.arn, after.status, after.version, after.endpoint) == (KNOWN_AFTER_APPLY, "ACTIVE", "1.35", KNOWN_AFTER_APPLY)
    assert (after.settings["logging"], after.settings["deletion_protection"], after.settings["service_ipv4_cidr"]) == ((), False, KNOWN_AFTER_APPLY)
    assert plan(wanted(**NEW), State(None)).after(State(None)).cluster.version == KNOWN_AFTER_APPLY


def test_a_creation_sends_all_options() -> None:
    more = {
        "endpoint_public_access": None,
        "public_access_cidrs": ("203.0.113.0/24",),
        "security_group_ids": ("sg-1",),
        "logging": ("api",),
        "encryption_key_arn": "key",
        "service_ipv4_cidr": "10.100.0.0/16",
        "deletion_protection": True,
        "support_type": "EXTENDED",
    }
    settings = {option: value for option, value in {**NEW, **more}.items() if value is not None}
    ((_operation, arguments),) = sent(plan(wanted("1.33", tags={"a": "b"}, **settings), State(None, VERSIONS)))
    assert (arguments["version"], arguments["tags"], arguments["deletionProtection"]) == ("1.33", {"a": "b"}, True)
    assert arguments["encryptionConfig"] == [{"resources": ["secrets"], "provider": {"keyArn": "key"}}]
    assert arguments["resourcesVpcConfig"] == {
        "subnetIds": ["subnet-1", "subnet-2"],
        "securityGroupIds": ["sg-1"],
        "endpointPrivateAccess": True,
        "publicAccessCidrs": ["203.0.113.0/24"],
    }
    assert arguments["kubernetesNetworkConfig"] == {"serviceIpv4Cidr": "10.100.0.0/16"}
    assert arguments["logging"]["clusterLogging"][0] == {"types": ["api"], "enabled": True}


@pytest.mark.parametrize(
    ("desired", "message"),
    [
        (wanted("1.32", **NEW), "version: '1.32' is not allowed: EKS does not offer this version. Allowed: 1.33, 1.34, 1.35."),
        (wanted("1.33", **NEW), "version: '1.33' is not allowed: it is in extended support, which costs more."),
        (wanted("1.33", support_type="STANDARD", **NEW), "it is in extended support, which costs more."),
        (wanted(role_arn="role"), "subnet_ids: missing; "),
    ],
)
def test_a_creation_that_eks_would_refuse_is_refused(desired: Desired, message: str) -> None:
    with pytest.raises(Refused) as refused:
        plan(desired, State(None, VERSIONS))
    assert message in str(refused.value)


def test_a_cluster_that_is_being_deleted_is_created_again() -> None:
    assert [step.operation for step in plan(wanted(**NEW), state(status="DELETING")).steps] == ["CreateCluster"]


ENDPOINT = {"endpointPublicAccess": True, "endpointPrivateAccess": True}


@pytest.mark.parametrize(
    ("settings", "have", "parameters", "changes"),
    [
        ({"authentication_mode": "API"}, {}, {"accessConfig": {"authenticationMode": "API"}}, [("authentication_mode", "API_AND_CONFIG_MAP", "API")]),
        ({"support_type": "STANDARD"}, {}, {"upgradePolicy": {"supportType": "STANDARD"}}, [("support_type", "EXTENDED", "STANDARD")]),
        ({"deletion_protection": True}, {}, {"deletionProtection": True}, [("deletion_protection", False, True)]),
        (
            {"subnet_ids": ("subnet-2", "subnet-3")},
            {},
            {"resourcesVpcConfig": {"subnetIds": ["subnet-2", "subnet-3"], "securityGroupIds": ["sg-1"]}},
            [("subnet_ids", ("subnet-1", "subnet-2"), ("subnet-2", "subnet-3"))],
        ),
        (
            {"subnet_ids": ("subnet-2", "subnet-3")},
            {"securityGroupIds": []},
            {"resourcesVpcConfig": {"subnetIds": ["subnet-2", "subnet-3"]}},
            [("subnet_ids", ("subnet-1", "subnet-2"), ("subnet-2", "subnet-3"))],
        ),
        (
            {"security_group_ids": ()},
            {},
            {"resourcesVpcConfig": {"subnetIds": ["subnet-1", "subnet-2"], "securityGroupIds": []}},
            [("security_group_ids", ("sg-1",), ())],
        ),
        (
            {"endpoint_public_access": False},
            {},
            {"resourcesVpcConfig": {**ENDPOINT, "endpointPublicAccess": False}},
            [("endpoint_public_access", True, False)],
        ),
        (
            {"public_access_cidrs": ("198.51.100.0/24",), "endpoint_private_access": False},
            {},
            {"resourcesVpcConfig": {**ENDPOINT, "endpointPrivateAccess": False, "publicAccessCidrs": ["198.51.100.0/24"]}},
            [("endpoint_private_access", True, False), ("public_access_cidrs", ("203.0.113.0/24",), ("198.51.100.0/24",))],
        ),
        (
            {"logging": ()},
            {},
            {"logging": {"clusterLogging": [{"types": ["api", "audit", "authenticator", "controllerManager", "scheduler"], "enabled": False}]}},
            [("logging", ("api",), ())],
        ),
    ],
)
def test_an_update_sends_its_own_kind_of_settings(
    settings: dict[str, t.Any], have: dict[str, t.Any], parameters: dict[str, t.Any], changes: list[tuple[str, t.Any, t.Any]]
) -> None:
    made = plan(wanted(**settings), state(**have))
    assert sent(made) == [("UpdateClusterConfig", {"name": "ml", **parameters})]
    assert [(each.field, each.before, each.after) for each in made.changes] == changes
    after = made.after(state(**have)).cluster.settings
    assert {option: after[option] for option in settings} == settings


def test_ranges_are_empty_after_public_access_is_turned_off() -> None:
    made = plan(wanted(endpoint_public_access=False), state())
    assert made.after(state()).cluster.settings["public_access_cidrs"] == ()


def test_a_key_is_added_by_its_own_operation() -> None:
    made = plan(wanted(encryption_key_arn="key"), state())
    configuration = [{"resources": ["secrets"], "provider": {"keyArn": "key"}}]
    assert sent(made) == [("AssociateEncryptionConfig", {"clusterName": "ml", "encryptionConfig": configuration})]


def test_several_changes_are_separate_calls_in_a_fixed_order() -> None:
    settings = {
        "deletion_protection": True,
        "encryption_key_arn": "key",
        "logging": (),
        "endpoint_private_access": False,
        "security_group_ids": (),
        "support_type": "STANDARD",
        "authentication_mode": "API",
    }
    made = plan(wanted("1.35", tags={}, **settings), state())
    assert [step.changes[0].field for step in made.steps] == ["version", *reversed(settings), "tags.a"]
    after = made.after(state()).cluster
    assert after.version == "1.35" and {option: after.settings[option] for option in settings} == settings and after.tags == {}


def test_an_upgrade_is_one_call() -> None:
    made = plan(wanted("1.35"), state())
    assert sent(made) == [("UpdateClusterVersion", {"name": "ml", "version": "1.35"})] and made.notes == ()
    error = Insight("old", "ERROR", "1.35", "why")
    with pytest.raises(Refused, match="is not ready for 1.35: old"):
        plan(wanted("1.35"), state((error,)))
    accepted = plan(wanted("1.35", accept=("old",)), state((error,)))
    assert sent(accepted) == [("UpdateClusterVersion", {"name": "ml", "version": "1.35", "force": True})]
    assert notes(accepted) == ["Upgrade insight of EKS cluster ml: old is ERROR: why"]
    later = plan(wanted("1.35"), state((Insight("later", "ERROR", "1.36"),)))
    assert "force" not in later.steps[0].arguments and "no upgrade insights" in notes(later)[0]


@pytest.mark.parametrize(
    ("have", "settings", "note"),
    [
        ({"publicAccessCidrs": ["0.0.0.0/0"]}, {}, "Every address of the internet can reach the API server of EKS cluster ml."),
        ({"version": "1.33"}, {}, "runs Kubernetes 1.33, which is in extended support until 2027-07-29 and costs more."),
        ({"version": "1.32"}, {}, "runs Kubernetes 1.32, which EKS no longer supports."),
        ({"health": {"issues": [{"code": "KmsKeyDisabled"}]}}, {}, "EKS cluster ml is ACTIVE (KmsKeyDisabled): enable the KMS key"),
        ({"publicAccessCidrs": ["0.0.0.0/0"]}, {"public_access_cidrs": ("203.0.113.0/24",)}, None),
        ({"publicAccessCidrs": ["0.0.0.0/0"]}, {"endpoint_public_access": False}, None),
        ({"version": "1.20"}, {}, None),
    ],
)
def test_notes_are_about_the_cluster_after_the_run(have: dict[str, t.Any], settings: dict[str, t.Any], note: str | None) -> None:
    made = plan(wanted(**settings), state(**have))
    assert len(made.notes) == (note is not None) and (note is None or note in notes(made)[0])


def test_without_wait_a_run_starts_one_update() -> None:
    made = plan(wanted("1.35", logging=(), support_type="STANDARD", tags={"c": "d"}, wait=False), state())
    assert [step.operation for step in made.steps] == ["UpdateClusterVersion", "TagResource", "UntagResource"]
    assert notes(made) == ["EKS cluster ml: EKS runs one update at a time. Without wait, later runs change support_type, logging."]
    assert plan(wanted("1.35", wait=False), state()).notes == ()


def test_unsupported_clusters_are_not_changed() -> None:
    auto = {"computeConfig": {"enabled": True}}
    assert not plan(wanted(), state(**auto))
    for desired in (wanted(logging=()), wanted(role_arn="other", logging=()), wanted(tags={"c": "d"}), Desired("ml", present=False)):
        with pytest.raises(Refused, match="EKS cluster ml uses EKS Auto Mode"):
            plan(desired, state(**auto))


def removal(*, wait: bool = True, **settings: t.Any) -> Desired:
    return Desired("ml", present=False, settings=settings, wait=wait)


def test_a_removal_turns_the_protection_off_first() -> None:
    assert not plan(removal(), State(None)) and not plan(removal(), state(status="DELETING"))
    assert sent(plan(removal(), state())) == [("DeleteCluster", {"name": "ml"})]
    off, deletion = ("UpdateClusterConfig", {"name": "ml", "deletionProtection": False}), ("DeleteCluster", {"name": "ml"})
    protected = state(deletionProtection=True, status="FAILED")
    made = plan(removal(deletion_protection=False), protected)
    assert sent(made) == [off, deletion] and made.after(protected).cluster is None
    made = plan(removal(deletion_protection=False, wait=False), protected)
    assert sent(made) == [off] and notes(made)[0].endswith("later runs change delete.")
    assert sent(plan(removal(wait=False), state())) == [deletion]


@pytest.mark.parametrize("desired", [wanted(), removal()])
def test_a_cluster_with_another_arn_is_refused(desired: Desired) -> None:
    other = Desired("ml", arn=ARN.replace("1" * 12, "2" * 12), present=desired.present)
    with pytest.raises(Refused, match="has another ARN"):
        plan(other, state())


@pytest.mark.parametrize(
    ("desired", "have", "options"),
    [
        (wanted(**NEW), {"endpointPublicAccess": False, "accessConfig": {"authenticationMode": "API"}, "upgradePolicy": {"supportType": "STANDARD"}}, []),
        (wanted(), {}, ["authentication_mode", "support_type"]),
        (wanted("1.35", role_arn="other", tags={"a": "c"}), {}, ["role_arn", "authentication_mode", "support_type", "version", "tags"]),
        (wanted("1.34", authentication_mode="API_AND_CONFIG_MAP", support_type="EXTENDED", tags={"a": "b"}), {}, []),
    ],
)
def test_the_differences_from_a_new_cluster_are_named(desired: Desired, have: dict[str, t.Any], options: list[str]) -> None:
    assert left(desired, Cluster.from_api(described(**have))) == options
