# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of docs/design/release.md on a copy: changelog, archive and its content."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import COLLECTION_VERSION

ROOT = Path(__file__).resolve().parents[3]
BIN = Path(sys.executable).parent
GALAXY = yaml.safe_load((ROOT / "galaxy.yml").read_text())
SHIPPED = {"CHANGELOG.rst", "CONTRIBUTING.md", "FILES.json", "LICENSE", "MANIFEST.json", "README.md", "bindep.txt", "changelogs"}
SHIPPED |= {"docs", "extensions", "inventories", "meta", "playbooks", "plugins", "requirements.txt", "roles"}

pytestmark = pytest.mark.skipif(not (BIN / "antsibull-changelog").exists(), reason="releases are built with the newest ansible-core")


def run(*command: str, folder: Path) -> str:
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(folder.parent)}
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the files that git knows, without the history."""
    folder = tmp_path_factory.mktemp("release") / "collection"
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", folder=ROOT).split("\0")
    for name in filter(None, listed):
        if (ROOT / name).is_file() and not (ROOT / name).is_symlink():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def test_the_version_is_the_same_in_both_places() -> None:
    assert GALAXY["version"] == COLLECTION_VERSION


def test_the_archive_has_the_changelog_and_the_shipped_files(copy: Path) -> None:
    run("antsibull-changelog", "release", "--date", "2026-01-01", folder=copy)
    changelog = (copy / "CHANGELOG.rst").read_text()
    assert f"v{GALAXY['version']}" in changelog and "Release Summary" in changelog
    assert list((copy / "changelogs/fragments").glob("*.yml")) == []

    run("ansible-galaxy", "collection", "build", "--output-path", str(copy.parent), folder=copy)
    with tarfile.open(copy.parent / f"mlfleet-hyperpod-{GALAXY['version']}.tar.gz") as archive:
        names = archive.getnames()
    assert {name.split("/")[0] for name in names} == SHIPPED
    assert [name for name in names if any(part.startswith(".") for part in name.split("/"))] == []
    inner = {"docs/README.md", "docs/docsite/links.yml", "docs/reference/iam/read-only.json", "inventories/example/hyperpod.yml"}
    assert inner - set(names) == set()
    assert [name for name in names if name.startswith(("inventories/lab", "extensions/molecule"))] == []
