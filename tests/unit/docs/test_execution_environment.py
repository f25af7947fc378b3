# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The execution environment uses exact versions, and verifies its downloads."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[3]
DEFINITION = yaml.safe_load((ROOT / "extensions/ee/execution-environment.yml").read_text())
PAGE = (ROOT / "docs/use/awx.md").read_text()
STEPS = [step for steps in DEFINITION["additional_build_steps"].values() for step in steps]


def test_collections_are_files_or_have_exact_versions() -> None:
    collections = DEFINITION["dependencies"]["galaxy"]["collections"]
    floating = [each for each in collections if each.get("type") != "file" and not re.fullmatch(r"\d+(\.\d+){2}", each.get("version", ""))]
    assert collections and floating == []


def test_all_required_collections_are_installed() -> None:
    required = yaml.safe_load((ROOT / "galaxy.yml").read_text())["dependencies"]
    named = {each["name"] for each in DEFINITION["dependencies"]["galaxy"]["collections"]}
    assert set(required) <= named


def test_ansible_has_exact_versions() -> None:
    for each in ("ansible_core", "ansible_runner"):
        assert re.fullmatch(r"[a-z-]+==\d+(\.\d+)+", DEFINITION["dependencies"][each]["package_pip"]), each


def test_each_download_has_a_version_and_is_verified_before_use() -> None:
    """A checksum has no default, so that the person who builds an image must verify the downloads."""
    downloads = [step for step in STEPS if re.search(r"https?://", step)]
    assert downloads
    for step in downloads:
        assert "/latest/" not in step
        (used,) = re.findall(r"\$\{(\w+)\}", step)
        assert f"ARG {used}" in STEPS[: STEPS.index(step)] and f"--build-arg {used}=" in PAGE
        assert any(f"${{{used}:?" in each for each in STEPS[: STEPS.index(step)]), "the build would fail without a reason"
        check = STEPS[STEPS.index(step) + 1]
        (digest,) = re.findall(r"\$\{(\w+):\?", check)
        assert "sha256sum --check --strict" in check and f"ARG {digest}" in STEPS and f"--build-arg {digest}=" in PAGE


def test_the_base_image_has_no_default() -> None:
    """No registry can have the image of the definition, so the person who builds one must choose a digest."""
    name = DEFINITION["images"]["base_image"]["name"]
    assert name.split("/")[0].endswith(".invalid") and name.endswith("EE_BASE_IMAGE")
    assert "--build-arg EE_BASE_IMAGE=" in PAGE and "@sha256:" in PAGE
