# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether the user data of a launch template lets nodes with nodeadm join their cluster. No I/O."""

from __future__ import annotations

import email
import typing as t

from ..._core.text import printable
from ..._kubernetes.yaml_text import HAS_YAML, NotYaml, documents
from ..launch_template.user_data import CONTENT_TYPE
from .model import Cluster, Observation, Unread
from .verdict import Cause, Finding, Unknown

BOOTSTRAP = "/etc/eks/bootstrap.sh"
"""The program of Amazon Linux 2, which has the name of the cluster as its argument."""
CORRECT = "correct the user data in a new version of the launch template"
KIND = ("node.eks.aws/v1alpha1", "NodeConfig")
NEEDED = ("name", "apiServerEndpoint", "certificateAuthority", "cidr")
OTHER_SYSTEMS = ("AL2_", "BOTTLEROCKET_", "WINDOWS_")
"""Prefixes of AMI types whose nodes do not use nodeadm."""


def user_data(seen: Observation) -> t.Iterator[Finding]:
    template, cluster = seen.template, seen.cluster
    if isinstance(template, Unread) or isinstance(cluster, Unread) or not (template.user_data or template.image):
        return
    where = f"the user data of launch template {template.name}"
    if seen.ami_type.startswith(OTHER_SYSTEMS) or not HAS_YAML:
        yield Unknown(f"{where}, which was not parsed")
        return
    if not template.user_data:
        yield Cause(
            f"launch template {template.name} has image {template.image} but no user data, so the nodes do not know their cluster",
            "add a NodeConfig with the cluster, or omit the image",
        )
        return
    if template.image and BOOTSTRAP in template.user_data:
        yield from _bootstrap(where, template.user_data, cluster)
        return
    yield from _config(where, template.user_data, cluster, complete=bool(template.image))


def _bootstrap(where: str, text: str, cluster: Cluster) -> t.Iterator[Finding]:
    if cluster.name not in text:
        yield Cause(f"{where} calls {BOOTSTRAP} without the name of the cluster, {cluster.name}", CORRECT)
    else:
        yield Unknown(f"{where}, which is a program")


def _config(where: str, text: str, cluster: Cluster, *, complete: bool) -> t.Iterator[Finding]:
    """:param complete: whether the NodeConfig needs all values of the cluster, because EKS adds none for a custom image."""
    message = email.message_from_string(text.replace("\r\n", "\n"))
    if not message.is_multipart():
        if complete and message.get_content_type() != CONTENT_TYPE:
            yield Unknown(f"{where}, which is not a MIME message")
            return
        if not complete:
            yield Cause(f"{where} is not a MIME message with several parts, which EKS requires", CORRECT)
            return
    given: dict[str, t.Any] = {}
    parts = [part for part in message.walk() if part.get_content_type() == CONTENT_TYPE]
    for part in parts:
        found = _parsed(str(part.get_payload()))
        if isinstance(found, str):
            yield Cause(f"a NodeConfig in {where} is invalid: {found}", CORRECT)
            return
        given.update(found)
    yield from _compared(where, given, cluster, needed=NEEDED if complete else ())


def _compared(where: str, given: t.Mapping[str, t.Any], cluster: Cluster, *, needed: t.Sequence[str]) -> t.Iterator[Finding]:
    missing = [f"spec.cluster.{name}" for name in needed if not given.get(name)]
    if missing:
        yield Cause(f"{where} lacks {', '.join(missing)}, which nodes with a custom image need", CORRECT)
    expected = {"name": cluster.name, "apiServerEndpoint": cluster.endpoint, "certificateAuthority": cluster.authority}
    for name, value in expected.items():
        if given.get(name) and given[name] != value:
            shown = "" if name == "certificateAuthority" else f" {printable(given[name])}"
            yield Cause(f"{where} has spec.cluster.{name}{shown}, which is not that of EKS cluster {cluster.name}", CORRECT)


def _parsed(text: str) -> dict[str, t.Any] | str:
    """The values of ``spec.cluster``, or why the NodeConfig is invalid."""
    try:
        found = documents(text)
    except NotYaml as error:
        return str(error)
    values: dict[str, t.Any] = {}
    for each in found:
        if not isinstance(each, dict) or (each.get("apiVersion"), each.get("kind")) != KIND:
            return f"it must have apiVersion {KIND[0]} and kind {KIND[1]}"
        spec = each.get("spec") or {}
        cluster = spec.get("cluster") if isinstance(spec, dict) else None
        values.update(cluster if isinstance(cluster, dict) else {})
    return values
