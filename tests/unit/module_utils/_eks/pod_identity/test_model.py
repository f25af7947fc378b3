# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an association asks of botocore."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.pod_identity.model import Desired


def test_an_old_botocore_does_for_what_it_knows():
    assert Desired("pods", "a", "b", role="role").newer_parameters == []
    asked = Desired("pods", "a", "b", target="role", without_session_tags=False)
    assert asked.newer_parameters == ["targetRoleArn", "disableSessionTags"]
