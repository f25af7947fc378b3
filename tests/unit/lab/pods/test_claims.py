# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared and separate volumes."""

from __future__ import annotations

from lab.pods import claims
from lab.pods.node import SHARED


def test_a_shared_volume_is_in_the_common_folder_of_all_nodes() -> None:
    shared, separate = (claims.volume("ml", "data", shared=each, size="1Gi")["spec"] for each in (True, False))
    assert shared["hostPath"]["path"] == f"/{SHARED}/ml-data"
    assert not separate["hostPath"]["path"].startswith(f"/{SHARED}")
    assert {**shared, "hostPath": None} == {**separate, "hostPath": None}
    assert shared["claimRef"] == {"namespace": "ml", "name": "data"}
