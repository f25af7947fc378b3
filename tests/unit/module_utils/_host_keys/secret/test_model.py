# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.secret.model import Desired
from simulated.host_keys import ARN, DESIRED


def test_a_certificate_authority_has_its_own_secret_and_parameter():
    authority = Desired.for_cluster(ARN, purpose="host_ca")
    assert (authority.secret_name, authority.parameter) == (
        "mlfleet/hyperpod/abc123def456/ssh-host-ca",
        "/mlfleet/hyperpod/abc123def456/host-ca",
    )
    assert (DESIRED.secret_name, DESIRED.parameter) == (
        "mlfleet/hyperpod/abc123def456/ssh-host-keys",
        "/mlfleet/hyperpod/abc123def456/host-keys",
    )
