# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of a file system, and the refusal of invalid ones."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.options import desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.table import TABLE

EKS, HYPERPOD = "arn:aws:eks:us-west-2:111111111111:cluster/ml", "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
KEY = "01234567-89ab-cdef-0123-456789abcdef"
PARAMS: dict[str, t.Any] = {
    **dict.fromkeys(field.option for field in TABLE),
    "name": "data",
    "file_system_id": None,
    "state": "present",
    "cluster_arn": EKS,
    "client_security_group_ids": None,
    "skip_final_backup": False,
    "tags": None,
    "purge_tags": True,
    "wait": True,
}


def of(region: str | None = "us-west-2", **params: t.Any) -> Desired:
    return desired({**PARAMS, **params}, region)


def test_omitted_options_are_not_set() -> None:
    assert of() == Desired(EKS, "data")
    assert of(state="absent", skip_final_backup=True, wait=False) == Desired(EKS, "data", present=False, skip_final_backup=True, waits=False)


def test_given_options_are_set_in_canonical_form() -> None:
    groups = ["sg-0123456789abcdef1", "sg-0123456789abcdef0"]
    given = of(security_group_ids=groups, client_security_group_ids=groups, metadata_iops="6000", efa=False, tags={"a": 1}, purge_tags=False)
    assert given.settings == {"security_group_ids": sorted(groups), "metadata_iops": "6000", "efa": False}
    assert given.client_groups == tuple(sorted(groups)) and given.tags == {"a": "1"} and not given.purge_tags


@pytest.mark.parametrize("arn", [EKS, HYPERPOD, EKS.replace("aws:eks", "aws-cn:eks")])
def test_a_cluster_with_eks_or_hyperpod_owns_the_file_system(arn: str) -> None:
    assert of(cluster_arn=arn).cluster_arn == arn
    assert of(None, cluster_arn=arn).cluster_arn == arn


@pytest.mark.parametrize("key", [KEY, "mrk-" + 32 * "a", f"arn:aws:kms:us-west-2:111111111111:key/{KEY}"])
def test_ids_and_arns_of_keys(key: str) -> None:
    assert of(kms_key_id=key).settings == {"kms_key_id": key}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": ""}, "name: ''"),
        ({"name": "a,b"}, "name: 'a,b'"),
        ({"name": 257 * "a"}, "at most 256 characters"),
        ({"file_system_id": "fs-"}, "file_system_id: 'fs-'"),
        ({"cluster_arn": "arn:aws:eks:us-west-2:1:cluster/ml"}, "Allowed: arn:aws:sagemaker.* or arn:aws:eks:REGION:ACCOUNT:cluster/NAME"),
        ({"cluster_arn": "ml"}, "cluster_arn: 'ml'"),
        ({"cluster_arn": EKS.replace("us-west-2", "eu-west-1")}, "region: 'us-west-2' is not allowed: .*Allowed: eu-west-1"),
        ({"cluster_arn": HYPERPOD.replace("us-west-2", "eu-west-1")}, "region: 'us-west-2'"),
        ({"subnet_id": "subnet-x"}, "subnet_id: 'subnet-x'"),
        ({"security_group_ids": []}, r"security_group_ids: \[\] is not allowed. Allowed: 1 to 50"),
        ({"security_group_ids": 2 * ["sg-01234567"]}, "security_group_ids: 'sg-01234567' is not allowed: it is given more than once"),
        ({"security_group_ids": [f"sg-{number:08x}" for number in range(51)]}, "security_group_ids: 51"),
        ({"client_security_group_ids": ["x"]}, "client_security_group_ids: 'x'"),
        *(({"kms_key_id": each}, f"kms_key_id: '{each}'") for each in ("alias/aws/fsx", KEY[:-1])),
        *(({"weekly_maintenance": each}, f"weekly_maintenance: '{each}'") for each in ("0:00:00", "1:24:00", "1:00:60", "1:0000", "1:0:00")),
        ({"metadata_iops": "many"}, "metadata_iops: 'many' is not allowed. Allowed: 1500 to 192000, or AUTOMATIC"),
        ({"metadata_iops": "1499"}, "metadata_iops: '1499'"),
        ({"backup_retention_days": -1}, "backup_retention_days: -1 is not allowed. Allowed: 0 to 90"),
        ({"storage_capacity": 1}, "storage_capacity: 1 "),
        *(({"tags": {key: "a"}}, f"tags: '{key}' is not allowed: ") for key in ("Name", "mlfleet.hyperpod/cluster", "mlfleet.hyperpod/component")),
        ({"tags": {"aws:a": "b"}}, "tags: 'aws:a'"),
        ({"tags": {"a": "b*"}}, r"tags: 'b\*'"),
        ({"tags": {"a#": "b"}}, "tags: 'a#'"),
        ({"tags": {str(number): "" for number in range(48)}}, "tags: 48 is not allowed: the module sets three more"),
    ],
)
def test_bad_input_is_refused_by_name(wrong: dict[str, t.Any], message: str) -> None:
    with pytest.raises(Refused, match=message):
        of(**wrong)


def test_47_tags_are_accepted() -> None:
    assert len(of(tags={str(number): "" for number in range(47)}).tags or {}) == 47
