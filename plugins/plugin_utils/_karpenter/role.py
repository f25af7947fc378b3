# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The policy of Karpenter's role for one cluster. Source: AWS's guide."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn

GRANTS = (
    *("CreateGrant", "Decrypt", "DescribeKey", "GenerateDataKeyWithoutPlaintext", "ReEncryptTo", "ReEncryptFrom"),
    "RetireGrant",
)


def policy_of(cluster: ClusterArn, *, kms: bool) -> dict[str, t.Any]:
    """
    :param kms: whether volumes of nodes are encrypted with keys of the account.
    """
    own = {"StringEquals": {"aws:ResourceAccount": "${aws:PrincipalAccount}"}}
    nodes = ["sagemaker:BatchAddClusterNodes", "sagemaker:BatchDeleteClusterNodes"]
    statements: list[dict[str, t.Any]] = [{"Effect": "Allow", "Action": nodes, "Resource": cluster.text, "Condition": own}]
    if kms:
        statements.append(
            {
                "Effect": "Allow",
                "Action": ["kms:CreateGrant", "kms:DescribeKey"],
                "Resource": f"arn:{cluster.partition}:kms:*:*:key/*",
                "Condition": {
                    "StringLike": {"kms:ViaService": "sagemaker.*.amazonaws.com"},
                    "Bool": {"kms:GrantIsForAWSResource": "true"},
                    "ForAllValues:StringEquals": {"kms:GrantOperations": list(GRANTS)},
                },
            }
        )
    return {"Version": "2012-10-17", "Statement": statements}
