# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of resources that exist: their tags, as a context, and the EKS cluster below a cluster."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from ..request import Call

Context = dict[str, str]


def tags_of(call: Call, resource: str) -> Context:
    """Of a resource of EC2, or a rule of a security group."""
    from moto.ec2.models import ec2_backends

    backend = ec2_backends[call.account][call.region]
    return _context(backend.tags.get(resource) or _of_rule(backend, resource))


def tags_of_certificate(call: Call, arn: str) -> Context:
    from moto.acm.models import acm_backends

    bundle = acm_backends[call.account][call.region]._certificates.get(arn)
    return _context(bundle.tags if bundle else {})


def eks_of(call: Call, cluster: str) -> str:
    """The ARN of the EKS cluster, by name or ARN of HyperPod's; empty for one with Slurm."""
    from moto.sagemaker.models import sagemaker_backends

    here = getattr(sagemaker_backends[call.account][call.region], "hyperpod", {})
    return next((each.eks_arn for each in list(here.values()) if cluster in (each.name, each.arn)), None) or ""


def _of_rule(backend: t.Any, rule_id: str) -> dict[str, str]:
    groups = [group for groups in backend.groups.values() for group in groups.values()]
    rules = [rule for group in groups for rule in (*group.ingress_rules, *group.egress_rules)]
    return next((rule.tags for rule in rules if rule.id == rule_id), {})


def _context(tags: t.Mapping[str, t.Any]) -> Context:
    return {f"aws:ResourceTag/{key}": str(value or '') for key, value in tags.items()}
