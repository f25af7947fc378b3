# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that check mode lists."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.would_create import would_create

JOB, POD = ("Job", "ns", "a-*", ""), ("Pod", "ns", "a-*-*", "n1")


def test_objects_and_their_pods_are_listed() -> None:
    made = would_create("ns", [("Job", "a-*")], [("a-*", "n1")], new_namespace=False)
    assert [tuple(each.values()) for each in made] == [JOB, POD]


def test_a_new_namespace_is_the_first_object() -> None:
    made = would_create("ns", [("Job", "a-*")], [("a-*", "n1")], new_namespace=True)
    assert [tuple(each.values()) for each in made] == [("Namespace", "", "ns", ""), JOB, POD]
