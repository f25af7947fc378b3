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


def associated(call: Call, association: str) -> list[str]:
    """The route table and the subnet of an association; empty if it does not exist."""
    from moto.ec2.models import ec2_backends

    tables = ec2_backends[call.account][call.region].route_tables.values()
    return next(([table.id, table._associations[association]] for table in tables if association in table._associations), [])


def launch_template(call: Call, specification: t.Mapping[str, t.Any]) -> t.Any:
    """The launch template of a specification of EC2 or EKS; None if it does not exist."""
    from moto.ec2.models import ec2_backends

    known = ec2_backends[call.account][call.region].launch_templates
    given = {str(key).removeprefix("LaunchTemplate").lower(): value for key, value in specification.items()}
    named = next((each.id for each in known.values() if each.name == given.get("name")), "")
    return known.get(given.get("id") or named)


def template_data(template: t.Any, specification: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """The data of the specified version of a launch template, by default its default version."""
    if template is None:
        return {}
    version = str(specification.get("Version") or specification.get("version") or "$Default")
    numbers = {"$Default": template.default_version_number, "$Latest": len(template.versions)}
    found = next((each.data for each in template.versions if str(each.number) == str(numbers.get(version, version))), {})
    return dict(found)


def roles_of_profile(call: Call, profile: t.Mapping[str, str]) -> list[str]:
    """ARNs of the roles of an instance profile; a role of an unknown name if the profile does not exist."""
    from moto.iam.models import iam_backends

    name = (profile.get("Name") or profile.get("Arn") or "").rpartition("/")[2]
    there = next((each for each in iam_backends[call.account]["aws"].instance_profiles.values() if each.name == name), None)
    return [role.arn for role in there.roles] if there else [f"arn:aws:iam::{call.account}:role/of-{name}"]


def tags_of_certificate(call: Call, arn: str) -> Context:
    from moto.acm.models import acm_backends

    bundle = acm_backends[call.account][call.region]._certificates.get(arn)
    return _context(bundle.tags if bundle else {})


def tags_of_file_system(call: Call, arn: str) -> Context:
    """Tags of a file system of FSx."""
    from moto.fsx.models import fsx_backends

    return _context(fsx_backends[call.account][call.region].tagger.get_tag_dict_for_resource(arn))


def tags_of_rule(call: Call, arn: str) -> Context:
    """Tags of a rule of EventBridge."""
    from moto.events.models import events_backends

    return _context(events_backends[call.account][call.region].tagger.get_tag_dict_for_resource(arn))


def tags_of_queue(call: Call) -> Context:
    """Tags of the queue of a request; none if it does not exist."""
    from ..sqs import owner

    queue = owner.queue_of(call)
    return _context(queue.tags if queue else {})


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


def path_of(call: Call, role: str) -> str:
    """The path of a role; that of roles without a path if it does not exist."""
    from moto.iam.models import iam_backends

    roles = iam_backends[call.account]["aws"].roles.values()
    return next((each.path for each in roles if each.name == role), None) or "/"


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


def tags_in_eks(call: Call, names: t.Mapping[str, str]) -> Context:
    """Tags of the EKS resource that a request names in its path or by its ARN; none for a new resource, except those of its cluster."""
    from moto.eks.models import eks_backends

    backend = eks_backends[call.account][call.region]
    cluster = backend.clusters.get(names.get("name", ""))
    if "arn" in names:
        tagged = getattr(backend, "tagged", None)
        return _context((tagged(names["arn"]) if tagged else None) or {})
    if cluster is None:
        return {}
    entry = f"arn:aws:iam::{names.get('owner')}:{names.get('kind')}/{names.get('who')}"
    named = (
        ("addon", cluster.addons, names.get("addon")),
        ("group", cluster.nodegroups, names.get("group")),
        ("id", cluster.identities, names.get("id")),
        ("owner", getattr(cluster, "access_entries", {}), entry),
    )
    there = next((known.get(name) for key, known, name in named if key in names), cluster)
    return _context(there.tags if there else {})


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
