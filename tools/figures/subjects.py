"""The number of folders of a subject, and imports between subjects."""

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
"""Folders by subject. A file belongs to the longest matching folder, so ``kubernetes`` has the files of no other subject."""
CLIENT = "kubernetes"
"""The subject that all others may use."""


def subject_of(file: str) -> str | None:
    above = {str(each) for each in PurePosixPath(file.removesuffix(".py")).parents} | {file.removesuffix(".py")}
    found = [(len(folder), name) for name, folders in SUBJECTS.items() for folder in folders if folder in above]
    return max(found)[1] if found else None


def folders_of_a_subject(house: House) -> dict[str, int]:
    """Number of folders or files with the Python of a subject."""
    existing = {str(each) for file in house.code for each in (file.removesuffix(".py"), *PurePosixPath(file).parents)}
    return {name: sum(folder in existing for folder in folders) for name, folders in SUBJECTS.items()}


def most_folders_of_a_subject(house: House) -> int:
    """The maximum of ``folders_of_a_subject``."""
    return max(folders_of_a_subject(house).values())


def across_subjects(house: House) -> list[str]:
    """Names that one subject imports from another. All may import the client of Kubernetes, which may import none of them."""
    found = collections.Counter[str]()
    for each in imports.imports(house):
        user, used = subject_of(each.file), subject_of(each.module) if each.ours else None
        if user and used and used not in (user, CLIENT):
            found[f"{user} of {used}: {each.file}:{each.line} {each.module}"] += 1
    return sorted(found.elements())
