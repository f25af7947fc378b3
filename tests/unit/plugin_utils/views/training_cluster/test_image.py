# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The training image, its repository, and its row in the plan."""

from __future__ import annotations

import typing as t

import pytest
from ansible.plugins.loader import module_loader
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster import image, planned

from .given import cluster, variables

GIVEN = {"repository": "hyperpod-a", "tag": "v1", "context": "/a"}
UNKNOWN = "(known after apply)"


def foreseen(uri: str, *changes: str) -> dict[str, t.Any]:
    """Variables of a host for which ``training_image`` ran in check mode."""
    result = {"training_image": {"repository_uri": uri}, "changes": [{"resource": each} for each in changes]}
    return variables(cluster(), image=GIVEN, __training_cluster_planned_image=result)


def test_options_are_those_that_are_declared() -> None:
    assert image.image(variables()) == {}
    assert {name: value for name, value in image.image(variables(image=GIVEN)).items() if value is not None} == {**GIVEN, "profile": "research"}


@pytest.mark.parametrize(("uri", "missing"), [("host/hyperpod-a", False), (UNKNOWN, True)])
def test_only_a_missing_repository_is_created(uri: str, missing: bool) -> None:
    assert image.repository(foreseen(uri)) == image.Repository(missing, [])
    assert image.repository(variables()) == image.Repository(False, [])


def test_a_missing_repository_without_the_collection_that_creates_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module_loader, "find_plugin", lambda name: None)
    assert image.repository(foreseen("host/hyperpod-a")).refusals == []
    (refusal,) = image.repository(foreseen(UNKNOWN)).refusals
    assert refusal["kind"] == "failure"
    for part in ("training_cluster_image: 'repository hyperpod-a'", "collection community.aws", "ansible-galaxy collection install community.aws"):
        assert part in refusal["text"]


@pytest.mark.parametrize(
    ("uri", "changes", "row"),
    [
        ("host/hyperpod-a", (), ("keep", "")),
        ("host/hyperpod-a", ("image tag hyperpod-a:v1",), ("build", "")),
        (UNKNOWN, ("image hyperpod-a:source-1", "image tag hyperpod-a:v1"), ("build", "in a new repository")),
    ],
)
def test_the_plan_has_the_image_which_needs_no_accepted_cost(uri: str, changes: tuple[str, ...], row: tuple[str, str]) -> None:
    (found,) = [each for each in planned.rows(foreseen(uri, *changes)) if each.kind == "ecr_image"]
    assert (found.name, found.action, found.note, found.changes) == ("hyperpod-a:v1", *row, False)
    assert [each for each in planned.rows(variables(cluster())) if each.kind == "ecr_image"] == []
