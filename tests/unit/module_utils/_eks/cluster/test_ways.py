# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The next step for each code of EKS."""

from __future__ import annotations

import botocore.session
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.ways import OTHERWISE, WAYS, way


def test_every_code_exists_in_eks() -> None:
    model = botocore.session.get_session().get_service_model("eks")
    known = {code for shape in ("ClusterIssueCode", "ErrorCode") for code in model.shape_for(shape).enum}
    assert set(WAYS) - known == set()


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ([], OTHERWISE),
        (["Other"], OTHERWISE),
        (["Ec2SubnetNotFound"], "set subnet_ids to existing subnets"),
        (["Other", "KmsKeyDisabled", "Ec2SubnetNotFound"], "enable the KMS key of the cluster"),
    ],
)
def test_the_first_known_code_decides(codes: list[str], expected: str) -> None:
    assert way(codes) == expected
