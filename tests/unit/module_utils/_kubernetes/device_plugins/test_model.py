# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Other providers of devices."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.model import DAEMON_SET, Provider

from .cluster import OTHER_TYPE, TYPE


def test_a_provider_covers_its_types_or_all() -> None:
    both = [TYPE, OTHER_TYPE]
    assert Provider(DAEMON_SET, "a/b").covered(both) == both
    assert Provider(DAEMON_SET, "a/b", frozenset((OTHER_TYPE, "x.y"))).covered(both) == [OTHER_TYPE]
    assert Provider(DAEMON_SET, "a/b", frozenset()).covered(both) == []
    assert Provider(DAEMON_SET, "a/b").described == "the DaemonSet a/b"
