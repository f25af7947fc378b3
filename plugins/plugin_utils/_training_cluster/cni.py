# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The VPC CNI of a cluster with nodes of HyperPod, where some of its releases do not work. On other clusters, they do. No I/O."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.bad_releases import (
    VPC_CNI,
    BadReleases,
    bad_release,
    version_numbers,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.model import (
    DEFAULT,
    LATEST,
    Addon as Installed,
    Catalogue,
    Desired,
)

from .declared import Addon
from .observed import ADDON, ENTRY, Observed

NAME = "vpc-cni"
OPTION = "training_cluster_addons"
OF_HYPERPOD = "HYPERPOD_LINUX"
"""The type of the access entries that HyperPod creates for its nodes."""
ADDONS_OF_HYPERPOD = "amazon-sagemaker-hyperpod-"
"""The start of the names of add-ons that only nodes of HyperPod need."""


def evidence(observed: Observed, addons: t.Iterable[Addon], *, orchestrates: bool) -> str:
    """Why the cluster has nodes of HyperPod, or will have them; empty without evidence.

    :param addons: the add-ons to ensure.
    :param orchestrates: whether the definition of a HyperPod cluster on the same host names the EKS cluster.
    """
    if orchestrates:
        return "the host's definition of a HyperPod cluster names this EKS cluster"
    entries = [each["id"] for each in observed.of(ENTRY) if each["details"].get("type") == OF_HYPERPOD]
    if entries:
        return f"access entry {printable(entries[0])} is for nodes of HyperPod"
    names = [*(each.name for each in addons), *(each["name"] for each in observed.of(ADDON))]
    found = next((name for name in names if name.startswith(ADDONS_OF_HYPERPOD)), "")
    return f"add-on {printable(found)} is for nodes of HyperPod" if found else ""


def refusal(given: Addon | None, installed: str, offered: Catalogue, *, declared: bool, upgrade: bool, why: str) -> str | None:
    """The refusal of the version after the run; None if it works with HyperPod, or is unknown.

    :param given: the add-on to ensure; None if the role does not ensure it.
    :param installed: the current version; empty without the add-on.
    :param declared: whether the user declares the add-on.
    :param why: from ``evidence``.
    """
    version = _version(given, installed, offered, upgrade=upgrade)
    bad = _bad(version)
    if bad is None:
        return None
    better = next((each.name for each in offered.versions if _bad(each.name) is None), f"a version other than {bad.versions}")
    reason = f"{why}, where VPC CNI {bad.versions} {bad.effect} ({bad.reference})"
    if declared and given is not None:
        resolved = "" if given.version == version else f"the version would be {version}; "
        return not_allowed(OPTION, f"{NAME} {given.version}", f"{NAME} with version {better}", f"{resolved}{reason}")
    return f"{OPTION}: missing; add {NAME} with version {better}, because the version would be {version}; {reason}."


def _version(given: Addon | None, installed: str, offered: Catalogue, *, upgrade: bool) -> str:
    """The version after the run; empty if it is unknown."""
    if given is None:
        return installed
    if given.version not in (DEFAULT, LATEST):
        return given.version
    now = Installed(arn="", version=installed, status="") if installed else None
    return offered.target(Desired("", NAME, version=given.version, upgrade=upgrade), now) or ""


def _bad(version: str) -> BadReleases | None:
    return bad_release(VPC_CNI, version_numbers(version))
