# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path

import pytest
from lab.karpenter.controller import DEFINITIONS
from lab.kubernetes import definitions
from lab.names import LabError


def test_definitions_of_the_given_folder_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(definitions.FOLDER, raising=False)
    included = definitions.chosen(DEFINITIONS)
    monkeypatch.setenv(definitions.FOLDER, str(tmp_path))
    with pytest.raises(LabError, match=r"has no \*\.yaml with a definition"):
        definitions.chosen(DEFINITIONS)
    (tmp_path / "pools.yaml").write_text("---\nmetadata: {name: nodepools.karpenter.sh}\n---\nmetadata: {name: others.example.com}\n")
    first, second, third = definitions.chosen(DEFINITIONS)
    assert (first, second, third) == (included[0], {"metadata": {"name": "nodepools.karpenter.sh"}}, included[2])


def test_only_one_of_several_versions_is_served() -> None:
    versions = [{"name": "v1beta1", "served": True, "storage": False}, {"name": "v1beta2", "served": True, "storage": True}]
    published = {"metadata": {"name": "a"}, "spec": {"group": "x", "versions": versions}}
    assert definitions.served_as("v1beta1", published)["spec"] == {"group": "x", "versions": [{**versions[0], "storage": True}]}
    assert definitions.served_as("v1", published) == published == definitions.served_as("", published)
    assert versions[0]["storage"] is False
