# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of launch templates."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.options import desired

ARN = "arn:aws:eks:us-west-2:111111111111:cluster/ml"
GROUP, OTHER, RESERVATION, IMAGE = "sg-0123456789abcdef0", "sg-00000000", "cr-0123456789abcdef0", "ami-00000000"
PARAMS: dict[str, t.Any] = {
    "name": "ml-p5",
    "eks_cluster": "ml",
    "state": "present",
    "instance_type": "p5.48xlarge",
    "cluster_security_group_id": GROUP,
    "security_group_ids": [],
    "efa": None,
    "capacity_reservation_id": None,
    "placement_group": None,
    "volume_size": 200,
    "volume_kms_key_id": None,
    "local_storage": "none",
    "metadata_hop_limit": 1,
    "image_id": None,
    "instance_tags": None,
    "tags": None,
    "purge_tags": True,
}


def wanted(*, check_mode: bool = False, **given: t.Any) -> Desired:
    return desired({**PARAMS, **given}, "us-west-2", check_mode=check_mode)


def test_omitted_options_leave_values_unchanged():
    assert wanted() == Desired("ml-p5", "ml", instance_type="p5.48xlarge", cluster_security_group=GROUP, security_groups=(GROUP,))


def test_all_options():
    given = {"security_group_ids": [OTHER, GROUP], "efa": False, "capacity_reservation_id": RESERVATION, "volume_size": 50, "metadata_hop_limit": 2}
    more = {"volume_kms_key_id": "alias/nodes", "local_storage": "RAID0", "image_id": IMAGE, "instance_tags": {"a": 1}, "tags": {"b": True}}
    assert wanted(eks_cluster=ARN, purge_tags=False, **given, **more) == Desired(
        name="ml-p5",
        cluster="ml",
        cluster_arn=ARN,
        instance_type="p5.48xlarge",
        cluster_security_group=GROUP,
        security_groups=(OTHER, GROUP),
        efa=False,
        reservation=RESERVATION,
        volume_size=50,
        volume_kms_key="alias/nodes",
        local_storage="RAID0",
        hop_limit=2,
        image=IMAGE,
        tags={"b": "True"},
        purge_tags=False,
        instance_tags={"a": "1"},
    )


def test_empty_texts_remove_values():
    emptied = wanted(capacity_reservation_id="", placement_group="", volume_kms_key_id="", image_id="")
    assert (emptied.reservation, emptied.placement_group, emptied.volume_kms_key, emptied.image) == ("", "", "", "")
    assert wanted(capacity_reservation_id="", placement_group="near").placement_group == "near"


def test_a_removal_needs_no_settings():
    assert wanted(state="absent", instance_type=None, cluster_security_group_id=None, volume_size=0) == Desired("ml-p5", "ml", present=False)


@pytest.mark.parametrize("name", ["abc", "a(b).c-d/e_F9", "x" * 128])
def test_names(name):
    assert wanted(name=name).name == name


KMS = "arn:aws:kms:us-west-2:111111111111"


@pytest.mark.parametrize("key", ["1234abcd-12ab-34cd-56ef-1234567890ab", f"mrk-{'0' * 32}", "alias/a/b", f"{KMS}:key/1-2", f"{KMS}:alias/x"])
def test_keys(key):
    assert wanted(volume_kms_key_id=key).volume_kms_key == key


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": "ab"}, "name: 'ab' is not allowed. Allowed: 3 to 128 letters, digits and characters ( ) . - / _."),
        ({"name": "x" * 129}, "name: "),
        ({"name": "a b c"}, "name: 'a b c'"),
        ({"eks_cluster": "-"}, "eks_cluster: '-'"),
        ({"eks_cluster": ARN.replace("west", "east")}, "it is in another Region"),
        ({"instance_type": None}, "instance_type: missing; state=present requires it."),
        ({"instance_type": ""}, "instance_type: missing"),
        ({"instance_type": "ml.p5.48xlarge"}, "Allowed: an instance type of EC2, such as p5.48xlarge."),
        ({"instance_type": "P5.48xlarge"}, "instance_type: 'P5.48xlarge'"),
        ({"cluster_security_group_id": None}, "cluster_security_group_id: missing; state=present requires it."),
        ({"cluster_security_group_id": "(known after apply)"}, "cluster_security_group_id: '(known after apply)'"),
        ({"security_group_ids": ["(known after apply)"]}, "security_group_ids: '(known after apply)'"),
        ({"security_group_ids": [OTHER, OTHER]}, "security_group_ids: 'sg-00000000' is not allowed: it is given more than once."),
        ({"security_group_ids": [f"sg-{number:08}" for number in range(16)]}, "17 is not allowed: the cluster security group is one of them"),
        ({"capacity_reservation_id": "cr-1"}, "capacity_reservation_id: 'cr-1'"),
        ({"capacity_reservation_id": RESERVATION, "placement_group": "near"}, "placement_group: 'near' is not allowed: capacity_reservation_id is also given"),
        ({"placement_group": "x" * 256}, "at most 255 characters"),
        ({"volume_size": 49}, "volume_size: 49 is not allowed. Allowed: 50 to 65536."),
        ({"volume_size": 65537}, "volume_size: 65537"),
        ({"volume_kms_key_id": "nodes"}, "volume_kms_key_id: 'nodes'"),
        ({"metadata_hop_limit": 0}, "metadata_hop_limit: 0"),
        ({"metadata_hop_limit": 3}, "metadata_hop_limit: 3 is not allowed. Allowed: 1 to 2."),
        ({"image_id": "ami-x"}, "image_id: 'ami-x'"),
        ({"tags": {"mlfleet.hyperpod/cluster": ARN}}, "the module sets this tag to the ARN of eks_cluster"),
        ({"tags": {"aws:a": "b"}}, "tags: 'aws:a'"),
        ({"instance_tags": {"aws:a": "b"}}, "instance_tags: 'aws:a'"),
        ({"instance_tags": {"a": "x" * 257}}, "instance_tags.a: "),
        ({"instance_tags": {str(number): "" for number in range(41)}}, "instance_tags: 41 is not allowed. Allowed: at most 40 tags."),
    ],
)
def test_invalid_options_are_refused(wrong, message):
    with pytest.raises(Refused) as refused:
        wanted(**wrong)
    assert message in str(refused.value)


def test_check_mode_accepts_groups_that_do_not_exist_yet():
    unknown = "(known after apply)"
    assert wanted(check_mode=True, cluster_security_group_id=unknown, security_group_ids=[OTHER, unknown, unknown]).security_groups == (unknown, OTHER)
    with pytest.raises(Refused):
        wanted(check_mode=True, cluster_security_group_id="sg-x")
    assert len(wanted(security_group_ids=[f"sg-{number:08}" for number in range(15)]).security_groups) == 16
