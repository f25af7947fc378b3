"""How far the Python of a subject is spread, and what subjects take from each other."""

from __future__ import annotations

import collections
import typing as t
from pathlib import PurePosixPath

from . import imports
from .house import House

UTILS, PLUGIN_UTILS = "plugins/module_utils", "plugins/plugin_utils"
SUBJECTS: t.Mapping[str, tuple[str, ...]] = {
    "accelerators": (
        f"{UTILS}/_accelerators",
        f"{PLUGIN_UTILS}/_accelerators",
        f"{PLUGIN_UTILS}/views/accelerator_health",
        f"{PLUGIN_UTILS}/views/remediation",
    ),
    "teams": (f"{UTILS}/_hyperpod/governance", f"{PLUGIN_UTILS}/_governance", f"{PLUGIN_UTILS}/views/task_governance"),
    "karpenter": (f"{UTILS}/_karpenter", f"{PLUGIN_UTILS}/_karpenter", f"{PLUGIN_UTILS}/views/karpenter"),
    "placement": (
        f"{UTILS}/_topology",
        f"{PLUGIN_UTILS}/_topology",
        f"{PLUGIN_UTILS}/views/topology",
        f"{PLUGIN_UTILS}/views/topology_job",
    ),
    "vpn": (f"{UTILS}/_client_vpn", f"{PLUGIN_UTILS}/views/client_vpn", f"{PLUGIN_UTILS}/views/client_vpn_access"),
    "kubernetes": (f"{UTILS}/_kubernetes",),
}
"""Folders by subject. A file belongs to the longest that it lies in, so the client of Kubernetes has what is in no other."""
CLIENT = "kubernetes"
"""Every subject may use it."""


def subject_of(file: str) -> str | None:
    above = {str(each) for each in PurePosixPath(file.removesuffix(".py")).parents} | {file.removesuffix(".py")}
    found = [(len(folder), name) for name, folders in SUBJECTS.items() for folder in folders if folder in above]
    return max(found)[1] if found else None


def folders_of_a_subject(house: House) -> dict[str, int]:
    """Folders, or files beside folders, that hold the Python of a subject."""
    there = {str(each) for file in house.code for each in (file.removesuffix(".py"), *PurePosixPath(file).parents)}
    return {name: sum(folder in there for folder in folders) for name, folders in SUBJECTS.items()}


def most_folders_of_a_subject(house: House) -> int:
    """``folders_of_a_subject`` of the subject that has the most."""
    return max(folders_of_a_subject(house).values())


def across_subjects(house: House) -> list[str]:
    """Names that one subject imports of another; the client of Kubernetes is for all, and imports of none."""
    found = collections.Counter[str]()
    for each in imports.imports(house):
        user, used = subject_of(each.file), subject_of(each.module) if each.ours else None
        if user and used and used not in (user, CLIENT):
            found[f"{user} of {used}: {each.file}:{each.line} {each.module}"] += 1
    return sorted(found.elements())
