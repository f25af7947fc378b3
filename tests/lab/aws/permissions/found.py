# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of existing resources: their tags as a context, and the EKS cluster of a cluster."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from ..request import Call

Context = dict[str, str]


def tags_of(call: Call, resource: str) -> Context:
    """Tags of an EC2 resource or a security group rule."""
    from moto.ec2.models import ec2_backends

    backend = ec2_backends[call.account][call.region]
    return _context(backend.tags.get(resource) or _of_rule(backend, resource))


def tags_of_certificate(call: Call, arn: str) -> Context:
    from moto.acm.models import acm_backends

    bundle = acm_backends[call.account][call.region]._certificates.get(arn)
    return _context(bundle.tags if bundle else {})


def tags_of_file_system(call: Call, arn: str) -> Context:
    """Tags of a file system of FSx."""
    from moto.fsx.models import fsx_backends

    return _context(fsx_backends[call.account][call.region].tagger.get_tag_dict_for_resource(arn))


def snapshots_of(call: Call, image: str) -> list[str]:
    """Snapshots of an image of the account."""
    from moto.ec2.models import ec2_backends

    found = ec2_backends[call.account][call.region].amis.get(image)
    return [found.ebs_snapshot.id] if found else []


def boundary_of(call: Call, role: str) -> str:
    """The ARN of a role's permissions boundary; empty if it has none or does not exist."""
    from moto.iam.models import iam_backends

    roles = iam_backends[call.account]["aws"].roles.values()
    return next((each.permissions_boundary_arn for each in roles if each.name == role), None) or ""


def owner_of_bucket(call: Call, bucket: str) -> str:
    """The account of a bucket; that of the caller if it does not exist."""
    from moto.s3.models import s3_backends

    _partition, account = s3_backends.bucket_accounts.get(bucket) or ("aws", call.account)
    return str(account)


def type_of_entry(call: Call, cluster: str, principal: str) -> str:
    """The type of an access entry; empty if it does not exist."""
    from moto.eks.models import eks_backends

    there = eks_backends[call.account][call.region].clusters.get(cluster)
    entry = getattr(there, "access_entries", {}).get(principal)
    return str(entry.type) if entry else ""


def eks_of(call: Call, cluster: str) -> str:
    """The ARN of the EKS cluster, by name or ARN of the HyperPod cluster; empty for a cluster with Slurm."""
    from moto.sagemaker.models import sagemaker_backends

    here = getattr(sagemaker_backends[call.account][call.region], "hyperpod", {})
    return next((each.eks_arn for each in list(here.values()) if cluster in (each.name, each.arn)), None) or ""


def _of_rule(backend: t.Any, rule_id: str) -> dict[str, str]:
    groups = [group for groups in backend.groups.values() for group in groups.values()]
    rules = [rule for group in groups for rule in (*group.ingress_rules, *group.egress_rules)]
    return next((rule.tags for rule in rules if rule.id == rule_id), {})


def _context(tags: t.Mapping[str, t.Any]) -> Context:
    return {f"aws:ResourceTag/{key}": str(value or '') for key, value in tags.items()}
