# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Host keys of a cluster, for tests without an API."""

from __future__ import annotations

import datetime

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys import keys as host_keys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.model import Desired

ARN = ClusterArn.parse("arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456")
DESIRED = Desired.for_cluster(ARN, key_types=("ed25519",))
SECRET_ARN = f"arn:aws:secretsmanager:us-west-2:111111111111:secret:{DESIRED.secret_name}-AbCdEf"
NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)
TEXT = host_keys.generate(["ed25519"], now=NOW)
KEYS = host_keys.public_half("name", TEXT)
ELSEWHERE = Desired.for_cluster(ARN, public_keys=KEYS)
OTHER = host_keys.public_half("name", host_keys.generate(["ed25519"], now=NOW))
OURS = {"mlfleet.hyperpod/cluster": ARN.text}


def has_secret(stub, text=TEXT, **about):
    stub.add_response("describe_secret", {"ARN": SECRET_ARN, "Name": DESIRED.secret_name, **about}, {"SecretId": DESIRED.secret_name})
    if "DeletedDate" not in about:
        stub.add_response("get_secret_value", {"SecretString": text}, {"SecretId": DESIRED.secret_name})


def has_parameter(stub, keys):
    value = {"Parameter": {"Name": DESIRED.parameter, "Value": host_keys.publication(host_keys.Publication(keys))}}
    stub.add_response("get_parameter", value, {"Name": DESIRED.parameter})
