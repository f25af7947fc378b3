# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Refuses changes of an existing cluster that EKS does not make, or that would lock out its users. No I/O."""

from __future__ import annotations

import typing as t

from ..._core.failure import Refused, refuse_option
from ..._core.plan import Step
from . import fields
from .model import FAILED, Cluster, Desired, State
from .versions import IN_EXTENDED, check_insights, check_upgrade, find


def check_identity(desired: Desired, cluster: Cluster) -> None:
    """:raises Refused: for a cluster of the same name in another account."""
    if desired.arn and desired.arn != cluster.arn:
        why = "the cluster of this name in the caller's account has another ARN"
        refuse_option("eks_cluster", desired.arn, cluster.arn, why)


def check_changes(desired: Desired, state: State, cluster: Cluster) -> None:
    """:raises Refused: for the first change that is not possible. Nothing has been changed yet."""
    if cluster.status == FAILED:
        raise Refused(
            f"{desired.resource} is {cluster.described}, and EKS does not repair it: {cluster.way}, then delete the cluster with "
            "state=absent and create it again."
        )
    for field in fields.different(cluster.settings, desired.settings):
        _check_field(field, desired, cluster)
    _check_endpoint(desired, cluster)
    wanted = desired.version
    if wanted is not None:
        check_upgrade(desired.resource, cluster.version, wanted, state.versions)
        if wanted != cluster.version:
            check_insights(desired.resource, wanted, state.insights, desired.accept_insights)
    _check_support(desired, state, cluster)


def check_supported(desired: Desired, cluster: Cluster, steps: t.Iterable[Step]) -> None:
    """:raises Refused: for any change of a cluster with a property that this module does not support."""
    names = [change.field or change.action for step in steps for change in step.changes]
    if cluster.unsupported and names:
        raise Refused(
            f"{desired.resource} uses {' and '.join(cluster.unsupported)}, and this module does not change such a cluster: "
            f"{', '.join(names)}. Make the change with the AWS CLI or with the tool that created the cluster."
        )


def check_removal(desired: Desired, state: State, cluster: Cluster) -> None:
    """:raises Refused: for a protected cluster, and for one with node groups or Fargate profiles."""
    option = fields.PROTECTION.option
    if cluster.settings[option] and desired.settings.get(option) is not False:
        allowed = "false, so that this run turns the protection off before it deletes the cluster"
        refuse_option(option, True, allowed, f"{desired.resource} is protected against deletion")
    if state.dependents:
        raise Refused(f"{desired.resource} still has {', '.join(state.dependents)}. Delete them first.")


def _check_field(field: fields.Field, desired: Desired, cluster: Cluster) -> None:
    have, want = cluster.settings.get(field.option), desired.settings[field.option]
    if field.kind == fields.IMMUTABLE or (field is fields.KEY and have):
        why = f"{desired.resource} has {have!r}, and EKS cannot change that"
        refuse_option(field.option, want, f"{have!r}, or another value for a cluster with another name", why)
    if field is fields.MODE and have in fields.MODES:
        place = fields.MODES.index(have)
        if want not in fields.MODES[place : place + 2]:
            why = f"{desired.resource} has {have}, and EKS moves only one step at a time: {', then '.join(fields.MODES)}"
            refuse_option(field.option, want, ", ".join(fields.MODES[place : place + 2]), why)


def _check_endpoint(desired: Desired, cluster: Cluster) -> None:
    want, resource = desired.settings, desired.resource
    after = {**cluster.settings, **want}
    public, private, ranges = (each.option for each in (fields.PUBLIC, fields.PRIVATE, fields.CIDRS))
    if public in want or private in want:
        changed = public if want.get(public) is False else private
        if not after[public] and not after[private]:
            refuse_option(changed, False, "true", f"{resource} has no other endpoint, so the API server could not be reached")
    if want.get(ranges) and not after[public]:
        refuse_option(ranges, list(want[ranges]), "no value", f"{resource} has no public access")
    if want.get(ranges) == () and after[public]:
        refuse_option(ranges, [], "one or more ranges", f"{resource} has public access")
    if want.get(public) and not cluster.settings.get(public) and not want.get(ranges):
        raise Refused(f"{ranges}: missing; without it, {resource} would be open to the whole internet.", option=ranges)


def _check_support(desired: Desired, state: State, cluster: Cluster) -> None:
    option = fields.SUPPORT.option
    want, version = desired.settings.get(option), desired.version or cluster.version
    if want == fields.STANDARD != cluster.settings.get(option) and find(state.versions, version).support == IN_EXTENDED:
        why = f"Kubernetes {version} is in extended support, which EKS cannot turn off"
        refuse_option(option, want, f"{fields.EXTENDED}, or {fields.STANDARD} with a version in standard support", why)
