# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which requests are changes, and which replies are held."""

from __future__ import annotations

import pytest
from lab.kubernetes.front import Change, Hold, change_of, named, readable

POOLS = "/apis/karpenter.sh/v1/nodepools"


@pytest.mark.parametrize(
    ("method", "target", "expected"),
    [
        ("POST", "/api/v1/namespaces", ("create", "namespaces", "")),
        ("POST", "/apis/batch/v1/namespaces/a/jobs?fieldManager=x", ("create", "jobs", "")),
        ("POST", "/api/v1/namespaces/a/pods/p/eviction", ("create", "pods/eviction", "p")),
        ("PATCH", f"{POOLS}/gpus?fieldManager=x&force=true", ("patch", "nodepools", "gpus")),
        ("PATCH", f"{POOLS}/gpus/status", ("patch", "nodepools/status", "gpus")),
        ("PUT", "/api/v1/namespaces/a/finalize", ("update", "namespaces/finalize", "a")),
        ("DELETE", "/api/v1/namespaces/a", ("delete", "namespaces", "a")),
        ("DELETE", f"{POOLS}/gpus", ("delete", "nodepools", "gpus")),
        ("DELETE", "/api/v1/namespaces/a/pods?labelSelector=x", ("deletecollection", "pods", "")),
        ("GET", f"{POOLS}/gpus", None),
        ("PATCH", f"{POOLS}/gpus?dryRun=All", None),
        ("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", None),
        ("POST", "/apis", None),
    ],
)
def test_the_change_of_a_request(method: str, target: str, expected: tuple[str, str, str] | None) -> None:
    change = change_of(method, target)
    assert (change and change.summary) == expected


def test_evictions_are_readable_for_the_old_api_server() -> None:
    eviction, body = Change("create", "pods/eviction", "p"), b'{"apiVersion": "policy/v1", "kind": "Eviction"}'
    assert readable(eviction, body) == b'{"apiVersion": "policy/v1beta1", "kind": "Eviction"}'
    for other in (None, Change("create", "poddisruptionbudgets", "p")):
        assert readable(other, body) == body


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (b'{"metadata": {"name": "j-x7z"}}', "j-x7z"),
        (b'{"kind": "Status", "metadata": {}, "details": {"name": "j", "kind": "jobs"}}', "j"),
        (b'{"kind": "Status", "metadata": {}}', ""),
        (b"not found", ""),
    ],
)
def test_the_name_of_a_new_object_comes_from_the_reply(answer: bytes, name: str) -> None:
    assert named(Change("create", "jobs", ""), answer).name == name
    assert named(Change("delete", "jobs", "b"), answer).name == "b"


def test_the_nth_matching_change_is_held() -> None:
    hold = Hold(verb="patch", resource="nodepools", nth=2)
    others = [Change("create", "nodepools", "a"), Change("patch", "nodeclaims", "a")]
    wanted = [Change("patch", "nodepools", name) for name in "abc"]
    assert [hold.strikes(each) for each in (*others, *wanted, *others)] == [False, False, False, True, False, False, False]
    assert [Hold().strikes(each) for each in others] == [True, True]
