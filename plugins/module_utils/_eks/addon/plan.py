# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change from the observed to the desired add-on. No I/O."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._aws.tag_steps import EKS, tag_steps
from ..._aws.tags import Tags
from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Effect, Plan, Step
from .configuration import text_of
from .model import ACTIVE, ADDON, DEGRADED, DELETING, Addon, Catalogue, Desired, Identity, State
from .schema import problem


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: for a value that EKS would refuse."""
    addon = state.addon
    if not desired.present:
        return Plan((_removal(desired, addon),) if addon is not None and addon.status != DELETING else ())
    catalogue = state.catalogue or Catalogue("")
    version = version_of(desired, addon, catalogue)
    if addon is not None and addon.status == DELETING:
        addon = None  # it is created again after the deletion
    _check(desired, state, addon, version, catalogue)
    if addon is None:
        return Plan((_creation(desired, version, catalogue),))
    changes = left(desired, addon, version)
    steps = [_update(desired, addon, version, changes)] if changes else []
    tagging = tag_steps(EKS, desired.resource, addon.arn, addon.tags, desired.tags, purge=desired.purge_tags, tagged=_tagged)
    return Plan((*steps, *tagging), notes=tuple(_notes(desired, addon, version, catalogue)))


def left(desired: Desired, addon: Addon, version: str) -> tuple[Change, ...]:
    """The changes that remain, without tags. A failed add-on that matches the options needs a change of its status."""
    pairs: list[tuple[str, t.Any, t.Any]] = [("version", addon.version, version)]
    if desired.configuration is not None:
        pairs.append(("configuration", addon.configuration, desired.configuration))
    if desired.role is not None:
        pairs.append(("service_account_role_arn", addon.role or None, desired.role or None))
    if desired.identities is not None:
        pairs.append(("pod_identity_associations", _results(addon.identities), _results(desired.identities)))
    changes = [Change("update", desired.resource, field, before, after) for field, before, after in pairs if before != after]
    if not changes and addon.status in ADDON.failed:
        changes.append(Change("update", desired.resource, "status", addon.status, ACTIVE))
    return tuple(changes)


def version_of(desired: Desired, addon: Addon | None, catalogue: Catalogue) -> str:
    """The desired version of the add-on.

    :raises Refused: for a version that EKS does not offer.
    """
    version = catalogue.target(desired, addon)
    if version is None:
        names = ", ".join(each.name for each in catalogue.versions)
        if not names:
            why = f"EKS offers no version of this add-on for Kubernetes {catalogue.kubernetes}"
            refuse_option("name", desired.name, "an add-on that EKS offers for the cluster", why)
        why = f"EKS does not offer this version for Kubernetes {catalogue.kubernetes}"
        refuse_option("version", desired.version, f"default, latest, {names}", why)
    return version


def _check(desired: Desired, state: State, addon: Addon | None, version: str, catalogue: Catalogue) -> None:
    of_it = f"{desired.name} {version}"
    if addon is not None and desired.namespace not in (None, addon.namespace) and addon.namespace:
        why = f"{desired.resource} is in {addon.namespace}, and EKS can't move it"
        allowed = f"{addon.namespace}, or a different namespace after the removal of the add-on"
        refuse_option("namespace", desired.namespace, allowed, why)
    entry = catalogue.find(version)
    have = addon.identities if addon else ()
    if desired.identities and desired.identities != have and entry is not None and not entry.identities:
        why = f"{of_it} needs no IAM permissions, so EKS accepts no associations for it"
        names = [each.service_account for each in desired.identities]
        allowed = "no value (the module eks_pod_identity_association can create associations before the add-on is installed)"
        refuse_option("pod_identity_associations", names, allowed, why)
    values = addon.configuration if desired.configuration is None and addon else desired.configuration
    wrong = problem(state.schema, values, path="configuration") if state.schema is not None else None
    if wrong is not None:
        why = f"{wrong.why}; " if wrong.why else ""
        refuse_option(wrong.path, wrong.value, wrong.allowed, f"{why}the settings do not match the schema of {of_it}")
    if entry is not None and entry.needs_configuration and addon is None and not desired.configuration:
        raise Refused(f"configuration: missing; {of_it} requires it.", option="configuration")


def _notes(desired: Desired, addon: Addon, version: str, catalogue: Catalogue) -> t.Iterator[str]:
    if addon.status == DEGRADED:
        yield f"{desired.about} is {addon.described}."
    if version == addon.version and catalogue.find(version) is None:
        offered = ", ".join(each.name for each in catalogue.versions) or "none"
        yield (
            f"{desired.about} has version {version}, which EKS does not offer for Kubernetes {catalogue.kubernetes}. EKS offers "
            f"{offered}. Set version to one of these versions, or set upgrade to true."
        )


def _results(identities: t.Iterable[Identity]) -> list[dict[str, str]]:
    return [each.to_result() for each in identities]


def _creation(desired: Desired, version: str, catalogue: Catalogue) -> Step:
    text = text_of(desired.configuration) if desired.configuration else ""
    identities = desired.identities or ()
    optional = {
        "configurationValues": text,
        "serviceAccountRoleArn": desired.role,
        "podIdentityAssociations": _asked(identities),
        "namespaceConfig": {"namespace": desired.namespace} if desired.namespace else None,
        "tags": dict(desired.tags or {}),
    }
    arguments = {
        "clusterName": desired.cluster,
        "addonName": desired.name,
        "addonVersion": version,
        "resolveConflicts": desired.resolve_conflicts,
        **{name: value for name, value in optional.items() if value},
    }
    made = Addon(
        arn=KNOWN_AFTER_APPLY,
        version=version,
        status=ACTIVE,
        text=text,
        role=desired.role or "",
        identities=identities,
        namespace=desired.namespace or catalogue.namespace,
        tags=dict(desired.tags or {}),
    )
    change = Change("create", desired.resource, after={"version": version, "configuration": made.configuration})
    return Step("CreateAddon", arguments, (change,), _becomes(made))


def _update(desired: Desired, addon: Addon, version: str, changes: tuple[Change, ...]) -> Step:
    """Update the add-on with all settings and the role, even unchanged ones: EKS may reset omitted values to their defaults."""
    role = addon.role if desired.role is None else desired.role
    text = addon.text
    if desired.configuration is not None and desired.configuration != addon.configuration:
        text = text_of(desired.configuration)
    identities = addon.identities if desired.identities is None else desired.identities
    arguments = {
        "clusterName": desired.cluster,
        "addonName": desired.name,
        "addonVersion": version,
        "resolveConflicts": desired.resolve_conflicts,
        **({"configurationValues": text} if text else {}),
        **({"serviceAccountRoleArn": role} if role else {}),
        **({"podIdentityAssociations": _asked(identities)} if identities != addon.identities else {}),
    }
    after = dataclasses.replace(addon, version=version, status=ACTIVE, issues=(), text=text, role=role, identities=identities)
    return Step("UpdateAddon", arguments, changes, _becomes(after))


def _removal(desired: Desired, addon: Addon) -> Step:
    arguments = {"clusterName": desired.cluster, "addonName": desired.name, "preserve": desired.preserve}
    change = Change("delete", desired.resource, before={"version": addon.version})
    return Step("DeleteAddon", arguments, (change,), _becomes(None))


def _asked(identities: t.Iterable[Identity]) -> list[dict[str, str]]:
    return [{"serviceAccount": each.service_account, "roleArn": each.role_arn} for each in identities]


def _becomes(addon: Addon | None) -> Effect:
    return lambda state: dataclasses.replace(state, addon=addon)


def _tagged(state: t.Any, tags: Tags) -> t.Any:
    return dataclasses.replace(state, addon=dataclasses.replace(state.addon, tags=tags))
