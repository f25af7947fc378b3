# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IAM principals with access to the cluster, and their access policies of EKS. No I/O."""

from __future__ import annotations

import typing as t

from .checks import ADMIN_POLICY
from .declared import Declared, Values
from .observed import ENTRY, Observed, Resource

Scope = tuple[str, ...]
"""Namespaces in which a policy applies; empty for the whole cluster."""


def policies_of(wanted: Declared) -> dict[str, list[Values]]:
    """The declared policies, as the option ``access_policies`` of ``eks_access_entry``, keyed by principal."""
    found: dict[str, list[Values]] = {arn: [{"policy": ADMIN_POLICY}] for arn in wanted.admins}
    for team in wanted.teams:
        policy = {"policy": team["policy"], **({"namespaces": list(team["namespaces"])} if team.get("namespaces") else {})}
        found.setdefault(str(team["principal_arn"]), []).append(policy)
    return found


def differences(entry: Resource, policies: t.Iterable[Values]) -> list[str]:
    """What a run changes in an entry that exists. The entry of someone else keeps its other policies."""
    have = {str(each["policy"]).rpartition("/")[2]: _scope(each) for each in entry["details"]["access_policies"]}
    want = {str(each["policy"]): _scope(each) for each in policies}
    found = [f"adds {_text(name, scope)}" for name, scope in want.items() if name not in have]
    differing = [name for name, scope in want.items() if have.get(name, scope) != scope]
    found += [f"changes {_text(name, have[name])} to {_text(name, want[name])}" for name in differing]
    lost = sorted(have.keys() - want.keys()) if entry["ours"] else []
    return [*found, *(f"removes {_text(name, have[name])}" for name in lost)]


def undeclared(wanted: Declared, observed: Observed) -> list[Resource]:
    """The entries that the role created for principals that are no longer declared."""
    declared = policies_of(wanted)
    return [each for each in observed.ours(ENTRY) if each["id"] not in declared]


def _scope(policy: Values) -> Scope:
    return tuple(sorted(policy.get("namespaces") or ()))


def _text(policy: str, scope: Scope) -> str:
    return f"{policy} in {', '.join(scope)}" if scope else policy
