# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""User data with a NodeConfig, and the comparison of two texts."""

from __future__ import annotations

import base64

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.user_data import (
    decoded,
    encoded,
    meaning,
    user_data,
)

CLUSTER = {"name": "ml", "apiServerEndpoint": "https://10.1.2.3", "certificateAuthority": "Q0E=", "cidr": "172.20.0.0/16"}


@pytest.mark.parametrize(
    ("local_storage", "cluster", "spec"),
    [
        ("RAID0", {}, {"instance": {"localStorage": {"strategy": "RAID0"}}}),
        ("", CLUSTER, {"cluster": CLUSTER}),
        ("RAID0", CLUSTER, {"cluster": CLUSTER, "instance": {"localStorage": {"strategy": "RAID0"}}}),
    ],
)
def test_a_node_config_is_one_part_of_a_message(local_storage, cluster, spec):
    ((kind, text),) = meaning(user_data(local_storage=local_storage, cluster=cluster))
    assert kind == "application/node.eks.aws"
    assert yaml.safe_load(text) == {"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig", "spec": spec}


def test_nodes_without_configuration_get_no_user_data():
    assert user_data(local_storage="", cluster={}) == ""


def test_the_boundary_and_line_ends_do_not_matter():
    text = user_data(local_storage="RAID0", cluster={})
    assert meaning(text.replace("BOUNDARY", "//").replace("\n", "\r\n")) == meaning(text)
    assert meaning(text.replace("RAID0", "RAID10")) != meaning(text)
    assert meaning("#!/bin/sh\n") == meaning("#!/bin/sh") == "#!/bin/sh"


def test_text_is_encoded_and_other_data_is_kept():
    assert decoded(encoded("é\n")) == "é\n"
    for other in ("not base64!", "YQ!==", base64.b64encode(b"\x1f\x8b\xff").decode()):
        assert decoded(other) == other
