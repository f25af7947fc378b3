# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Our Pods run only in a namespace with our label; privileged ones never in a team's namespace."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes import namespace

from .._karpenter.proof.api_server import Server

OURS = {"app.kubernetes.io/managed-by": "mlfleet.hyperpod"}


class Namespaces:
    """``found``: the namespace ``a``, or None."""

    def __init__(self, found: t.Any) -> None:
        self.found = found

    def answer(self, method: str, path: str, _body: object) -> tuple[int, t.Any]:
        assert (method, path) == ("GET", "/api/v1/namespaces/a")
        return (200, self.found) if self.found is not None else (404, {})


@pytest.mark.parametrize(
    ("found", "exists"),
    [
        (None, False),
        (namespace.definition("a"), True),
        ({"metadata": {"name": "a", "labels": {**OURS, "team": "ml"}}}, True),
    ],
)
def test_our_namespace_or_a_missing_one_is_accepted(found: t.Any, exists: bool) -> None:
    with Server(Namespaces(found)) as kubernetes:
        assert namespace.check_own(kubernetes, "a") is exists


@pytest.mark.parametrize("labels", [None, {}, {"owner": "team-mallory"}, {"app.kubernetes.io/managed-by": "helm"}])
def test_a_foreign_namespace_is_refused_with_the_next_step(labels: t.Any) -> None:
    with Server(Namespaces({"metadata": {"name": "a", "labels": labels}})) as kubernetes, pytest.raises(Refused) as refused:
        namespace.check_own(kubernetes, "a")
    text = str(refused.value)
    assert text.startswith("namespace: 'a' is not allowed: it exists without the label app.kubernetes.io/managed-by=mlfleet.hyperpod")
    assert "kubectl label namespace a app.kubernetes.io/managed-by=mlfleet.hyperpod" in text and refused.value.option == "namespace"


@pytest.mark.parametrize(("level", "why"), [("privileged", "would become root on the nodes"), ("baseline", "so it has another owner")])
def test_the_reason_for_refusing_a_foreign_namespace_is_given(level: str, why: str) -> None:
    with Server(Namespaces({"metadata": {"name": "a"}})) as kubernetes, pytest.raises(Refused, match=why):
        namespace.check_own(kubernetes, "a", level)


@pytest.mark.parametrize(("level", "expected"), [((), "privileged"), (("baseline",), "baseline")])
def test_the_enforced_level_is_read(level: tuple[str, ...], expected: str) -> None:
    labels = namespace.definition("a", *level)["metadata"]["labels"]
    assert labels == {**OURS, "pod-security.kubernetes.io/enforce": expected}


@pytest.mark.parametrize("name", ["hyperpod-ns-vision", "hyperpod-ns-idle-resource-sharing-1"])
def test_the_namespace_of_a_team_is_refused_by_its_name(name: str) -> None:
    with pytest.raises(Refused, match=f"namespace: '{name}' is not allowed: submitters of the team may write to it"):
        namespace.check_name(name)


def test_other_valid_names_are_accepted() -> None:
    namespace.check_name("mlfleet-hyperpod")
    namespace.check_name("hyperpod")
    with pytest.raises(Refused, match="namespace: 'A' is not allowed. Allowed: the name of a namespace"):
        namespace.check_name("A")
