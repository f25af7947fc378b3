# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""galaxy.yml requires exactly the collections that are used, as each one is additional work for people with a mirror."""

from __future__ import annotations

import re
import typing as t
from pathlib import Path

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.package import REFUSED

ROOT = Path(__file__).resolve().parents[3]
INCLUDED = {"ansible.builtin", "ansible.legacy", "mlfleet.hyperpod"}
OPTIONAL = {"community.aws": ["roles/training_cluster/tasks/repository.yml"]}
"""Collections that only users of one setting need, and the files that use them. The role documents the requirement."""
IMPORT = re.compile(r"^\s*(?:from|import) ansible_collections\.([a-z0-9_]+\.[a-z0-9_]+)", re.M)
FRAGMENT = re.compile(r"^  - ([a-z0-9_]+\.[a-z0-9_]+)\.[a-z0-9_.]+$", re.M)
CALL = re.compile(r"^\s*(?:- )?([a-z0-9_]+\.[a-z0-9_]+)\.[a-z0-9_]+:", re.M)
LOOKUP = re.compile(r"(?:lookup|query|q)\(\s*'([a-z0-9_]+\.[a-z0-9_]+)\.[a-z0-9_]+'")
FILTER = re.compile(r"\|\s*([a-z0-9_]+\.[a-z0-9_]+)\.[a-z0-9_]+")


def used() -> t.Iterator[str]:
    for path in (ROOT / "plugins").rglob("*.py"):
        text = path.read_text()
        yield from IMPORT.findall(text)
        for documentation in re.findall(r"extends_documentation_fragment:\n((?:  - .*\n)+)", text):
            yield from FRAGMENT.findall(documentation)
    for folder in ("roles", "playbooks"):
        for path in (ROOT / folder).rglob("*.yml"):
            for pattern in (CALL, LOOKUP, FILTER):
                yield from pattern.findall(path.read_text())
    groups = yaml.safe_load((ROOT / "meta/runtime.yml").read_text())["action_groups"]
    for group in groups.values():
        for member in group:
            names = member.get("metadata", {}).get("extend_group", []) if isinstance(member, dict) else [member]
            yield from (name.rpartition(".")[0] for name in names if name.count(".") == 2)


def test_the_required_collections_are_those_in_use():
    required = set(yaml.safe_load((ROOT / "galaxy.yml").read_text())["dependencies"])
    assert set(used()) - INCLUDED - set(OPTIONAL) == required


@pytest.mark.parametrize(("collection", "files"), OPTIONAL.items())
def test_an_optional_collection_is_used_in_the_listed_files_only(collection, files):
    calling = [path for folder in ("roles", "playbooks") for path in (ROOT / folder).rglob("*.yml") if collection in CALL.findall(path.read_text())]
    importing = [path for path in (ROOT / "plugins").rglob("*.py") if collection in IMPORT.findall(path.read_text())]
    assert sorted(str(path.relative_to(ROOT)) for path in (*calling, *importing)) == files


@pytest.mark.parametrize("page", ["README.md", "docs/use/upgrade.md", "docs/use/without-internet.md"])
def test_pages_install_the_packages_that_modules_need(page):
    needed = {re.split("[<>=!]", line)[0] for line in (ROOT / "requirements.txt").read_text().split("\n") if line}
    lines = [line for line in (ROOT / page).read_text().split("\n") if re.search(r"\bpip (install|download)\b.* '?ansible-core", line)]
    assert lines
    for line in lines:
        named = {re.split("[<>=!]", word.strip("'"))[0] for word in line.split()}
        assert needed - named == {"botocore"}, line  # boto3 brings it


@pytest.mark.parametrize(
    "file", ["requirements.txt", "README.md", "docs/use/upgrade.md", "docs/use/without-internet.md", "plugins/doc_fragments/kubernetes.py"]
)
def test_refused_releases_of_kubernetes_are_excluded_in_each_requirement(file):
    """The table in the code lists them, and no page may install one."""
    lines = [line for line in (ROOT / file).read_text().split("\n") if re.search(r"\bkubernetes ?>=", line)]
    assert lines and REFUSED
    for line in lines:
        assert [version for version in REFUSED if f"!={version}" not in line.replace("!= ", "!=")] == [], line
