#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_look
version_added: 0.1.0
short_description: Ask AWS whether anything has happened on a SageMaker HyperPod cluster since the last full look
description:
  - A full look is a run of the playbook C(reconcile) that asks login nodes. When it has ended, this module records what it
    left, as hashes in one parameter. The next run asks AWS whether all of it is the same; then the cluster is quiet, and its
    nodes need not be asked.
  - A cluster is quiet where the last full look changed nothing and left nothing pending or failed, nobody has taken the lock
    since, its nodes are the same in id, disk and status and are all in the inventory, its targets are the same and healthy, its
    records and its client VPN are the same, the declaration is the same, nothing ends or may be renewed, and the look is not
    older than O(full_look_minutes).
  - What only a full look sees is listed in C(docs/use/operations.md).
options:
  cluster_arn:
    description:
      - ARN of the cluster. The region must be that of the ARN.
    type: str
    required: true
  state:
    description:
      - What is wanted.
    type: str
    choices:
      query: Nothing is changed; the result says whether the cluster is quiet.
      present: What the full look of this run left is recorded; or that it ended badly, where an earlier one is on record.
      absent: There is no record.
    default: query
  full_look_minutes:
    description:
      - For how long a full look counts, from 0 to 10080. With V(0) no cluster is quiet. Each cluster has its own minute of
        the period, so that many do not come at once.
    type: int
    default: 60
  full:
    description:
      - With O(state=query), this run looks at everything, whatever AWS tells. The action plugin sets it where the run is asked
        for what each run does anew (C(vpn_revoke), C(client_vpn_revoke), C(cluster_recheck)).
    type: bool
    default: false
  declaration:
    description:
      - Hashes of what is declared, by part. The action plugin sets it, from the variables of the cluster's host, its login
        nodes and a node of each other instance group, and from the files that they name.
    type: dict
    default: {}
  declaration_problem:
    description:
      - Why the declaration could not be read. The action plugin sets it.
    type: str
    default: ""
  instance_ids:
    description:
      - The nodes of the cluster that the inventory has. The action plugin sets it.
    type: list
    elements: str
    default: []
  began:
    description:
      - With O(state=present) and O(well=true), RV(seen) of the look with which this run began.
    type: dict
  well:
    description:
      - With O(state=present), whether the full look changed nothing and left nothing pending or failed. A change may leave
        work for the next run, as a target at a former port that goes once the new one is healthy. The action plugin sets it, from
        the verdict of the callback P(mlfleet.hyperpod.report#callback); without that callback nothing is recorded.
    type: bool
    default: false
  target_group:
    description:
      - With O(state=present), ARN of the target group of the login nodes.
    type: str
    default: ""
  client_vpn_endpoint_id:
    description:
      - With O(state=present), the client VPN endpoint of a cluster that has one.
    type: str
    default: ""
  ends:
    description:
      - With O(state=present), what is renewed or ends.
    type: list
    elements: dict
    default: []
    suboptions:
      until:
        description: When it ends, ISO time.
        type: str
        required: true
      days:
        description: For how many days before that it may be renewed; a negative number for days after it.
        type: int
        default: 0
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: partial
    details:
      - With O(state=present) the time of the look is part of the record, so that it is written each time.
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.aws
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - 'IAM actions: C(ssm:GetParameter), C(ssm:GetParametersByPath), C(ssm:PutParameter), C(ssm:AddTagsToResource) and
    C(ssm:DeleteParameter) on C(parameter/mlfleet/hyperpod/*), C(sagemaker:ListClusterNodes),
    C(elasticloadbalancing:DescribeTargetHealth); for a client VPN
    C(ec2:DescribeClientVpnEndpoints), C(ec2:DescribeClientVpnTargetNetworks), C(ec2:DescribeClientVpnAuthorizationRules),
    C(ec2:ExportClientVpnClientCertificateRevocationList).'
  - It takes no lock. What AWS does not answer makes a cluster not quiet, and no failure; the full look tells what is wrong.
seealso:
  - module: mlfleet.hyperpod.cluster_lock
  - module: mlfleet.hyperpod.cluster_record
"""

EXAMPLES = r"""
- name: Ask whether anything has happened
  mlfleet.hyperpod.cluster_look:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
  register: look

- name: Record what the full look left
  mlfleet.hyperpod.cluster_look:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
    state: present
    began: "{{ look.seen }}"
    well: true
    target_group: arn:aws:elasticloadbalancing:us-west-2:111111111111:targetgroup/hp-ml/0123456789abcdef
  when: not look.quiet
"""

RETURN = r"""
quiet:
  description: Whether nothing has happened since the last full look.
  returned: with O(state=query)
  type: bool
  sample: true
reasons:
  description: Why the cluster is not quiet, or why nothing was recorded, as sentences.
  returned: success
  type: list
  elements: str
  sample: ["The lock's generation is 7, and was 6."]
counts_again:
  description:
    - Whether the record does not count now and may count for a later run, so that it is to be made void, by O(state=present)
      with O(well=false), before anything else is done.
  returned: with O(state=query)
  type: bool
  sample: false
full_look:
  description: When the last full look ended, or null if none is on record.
  returned: success
  type: str
  sample: "2026-11-21T01:02:03Z"
login_nodes_in_service:
  description: How many addresses are healthy targets; null where they were not asked for, since the cluster is not quiet anyway.
  returned: with O(state=query)
  type: int
  sample: 2
seen:
  description: What AWS told, for O(began) at the end of the run; null where it did not tell everything.
  returned: with O(state=query)
  type: dict
  sample: {generation: 6, nodes: 0d5fa1e27f0f4b52b2dd1d4bb0e6c1a7, records: 1d4bb0e6c1a70d5fa1e27f0f4b52b2dd}
declaration:
  description: O(declaration), for the end of the run.
  returned: with O(state=query)
  type: dict
  sample: {version: 8d5fa1e27f0f4b52b2dd1d4bb0e6c1a7}
records:
  description:
    - All records of the cluster, by kind and name, as M(mlfleet.hyperpod.cluster_record) returns them; null where AWS did
      not tell.
  returned: with O(state=query)
  type: dict
  sample: {drained: {}, offboarded: {}, adopted: {}}
changes:
  description: What was changed, or would be in check mode.
  returned: always
  type: list
  elements: dict
  sample:
    - action: update
      resource: parameter /mlfleet/hyperpod/abc123def456/full-look
      field: looked
      before: "2026-11-21T01:02:03Z"
      after: "2026-11-21T02:02:03Z"
"""

import datetime
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.account import check_region
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import (
    AwsError,
    aws_module,
    connect,
    run_aws,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.api import Balancing
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.api import ClientVpn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.endpoint.look import looked_at
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import (
    Module,
    Plan,
    Refused,
    converge,
    refuse_option,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_seconds
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look import plan as full_look
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.store import FullLookStore, Kept
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records import Records, RecordStore
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.api import LockStore
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import own_token


class Look:
    """What the services tell about one cluster; a wing for each, and no two know each other."""

    def __init__(self, module: t.Any, arn: ClusterArn) -> None:
        self.module = module
        self.arn = arn
        self.records: Records | None = None

    def cluster(self, ssm: t.Any) -> full_look.Seen:
        """Lock, records and nodes."""
        arn = self.arn
        locks = LockStore(ssm, arn).observe()
        store = RecordStore(ssm, arn)
        records = store.observe()
        store.check()
        self.records = records
        cluster = Cluster(arn.id, arn.text, arn.id, arn.region, arn.account, arn.partition, "", "slurm")
        nodes = connect_hyperpod(self.module).nodes(cluster)
        tokens = dict(locks.generations)
        return full_look.Seen(
            generation=locks.top,
            holder=locks.holder[1].owner if locks.holder else "",
            ours=locks.top > 0 and tokens[locks.top].token == own_token(),
            nodes=full_look.digest(sorted((node.group, node.status, *node.triple) for node in nodes)),
            instance_ids=frozenset(node.instance_id for node in nodes),
            records=full_look.digest(self.records),
        )

    def targets(self, group: str) -> dict[str, str]:
        """Health by address and port, of those that are not on their way out."""
        if not group:
            return {}
        found = Balancing(connect(self.module, "elbv2").client).targets(group, about=f"target group {group}")
        return {f"{each.ip}:{each.port}": each.health for each in found if each.active}

    def vpn(self, endpoint: str) -> str:
        """A hash of the endpoint and its parts; empty for none."""
        if not endpoint:
            return ""
        return full_look.digest(looked_at(ClientVpn(connect(self.module, "ec2").client), endpoint))


def run(module: t.Any) -> None:
    params = module.params
    arn = ClusterArn.parse(params["cluster_arn"])
    check_region(arn, module.region)
    minutes = params["full_look_minutes"]
    if not 0 <= minutes <= full_look.LONGEST_MINUTES:
        refuse_option("full_look_minutes", minutes, f"it must be from 0 to {full_look.LONGEST_MINUTES}")
    asked = full_look.Asked(
        cluster_id=arn.id,
        now=datetime.datetime.now(datetime.timezone.utc),
        declared=params["declaration"],
        problem=params["declaration_problem"],
        inventory=frozenset(params["instance_ids"]),
        minutes=minutes,
        full=params["full"],
    )
    ssm = connect(module, "ssm")
    store, look = FullLookStore(ssm, arn), Look(module, arn)
    if params["state"] == "query":
        ask(module, asked, store, look, ssm)
    elif params["state"] == "absent":
        keep(module, store, store.plan_absent)
    elif not params["well"]:
        keep(module, store, lambda kept: store.plan_present(full_look.FullLook(iso_seconds(asked.now), False), kept))
    else:
        note(module, asked, store, look, look.cluster(ssm))


def ask(module: Module, asked: full_look.Asked, store: FullLookStore, look: Look, ssm: t.Any) -> t.NoReturn:
    """Targets and VPN only where all the rest is as it was."""
    record: Kept | None = None
    kept, seen, in_service = None, None, None
    try:
        record = store.observe()
        kept = record.look
        seen = look.cluster(ssm)
        reasons = full_look.reasons(kept, asked, seen)
        if kept is not None and not reasons:
            targets = look.targets(kept.target_group)
            in_service = full_look.in_service(targets)
            reasons = full_look.reasons_of_parts(kept, targets=targets, vpn=look.vpn(kept.endpoint))
    except (AwsError, Refused) as error:
        reasons = (str(error),)
    again = kept is None or full_look.could_count(kept, asked, seen.generation if seen else None)
    module.exit_json(
        changed=False,
        changes=[],
        quiet=not reasons,
        reasons=list(reasons),
        counts_again=bool(reasons) and again and (record is None or record.exists),
        full_look=kept and kept.looked,
        login_nodes_in_service=in_service,
        seen=seen and {"generation": seen.generation, "nodes": seen.nodes, "records": seen.records},
        declaration=dict(asked.declared),
        records=look.records,
    )


def note(module: t.Any, asked: full_look.Asked, store: FullLookStore, look: Look, seen: full_look.Seen) -> t.NoReturn:
    params = module.params
    try:
        began = full_look.Seen(**{name: params["began"][name] for name in ("generation", "nodes", "records")})
    except (KeyError, TypeError):
        refuse_option("began", params["began"], "it is what state=query returns as seen")
    group = params["target_group"]
    reasons = full_look.hindrances(began, asked, seen)
    left = full_look.FullLook(
        looked=iso_seconds(asked.now),
        well=True,
        generation=seen.generation,
        declared=asked.declared,
        nodes=seen.nodes,
        records=seen.records,
        targets=full_look.targets_digest(look.targets(group)),
        target_group=group,
        endpoint=params["client_vpn_endpoint_id"],
        vpn=look.vpn(params["client_vpn_endpoint_id"]),
        due=full_look.due(params["ends"], now=asked.now),
    )
    if len(left.to_json()) > full_look.LARGEST:
        reasons = (*reasons, f"The record does not fit into {full_look.LARGEST} characters.")
    keep(module, store, lambda kept: Plan(predicted=kept) if reasons else store.plan_present(left, kept), reasons)


def keep(
    module: t.Any, store: FullLookStore, plan: t.Callable[[Kept], Plan], reasons: t.Sequence[str] = ()
) -> t.NoReturn:
    def describe(kept: Kept) -> dict[str, t.Any]:
        return {"reasons": list(reasons), "full_look": kept.look and kept.look.looked}

    converge(module, observe=store.observe, plan=plan, apply=store.apply, describe=describe)


def main() -> None:
    module = aws_module(
        argument_spec={
            "cluster_arn": {"type": "str", "required": True},
            "state": {"type": "str", "default": "query", "choices": ["query", "present", "absent"]},
            "full_look_minutes": {"type": "int", "default": 60},
            "full": {"type": "bool", "default": False},
            "declaration": {"type": "dict", "default": {}},
            "declaration_problem": {"type": "str", "default": ""},
            "instance_ids": {"type": "list", "elements": "str", "default": []},
            "began": {"type": "dict"},
            "well": {"type": "bool", "default": False},
            "target_group": {"type": "str", "default": ""},
            "client_vpn_endpoint_id": {"type": "str", "default": ""},
            "ends": {
                "type": "list",
                "elements": "dict",
                "default": [],
                "options": {"until": {"type": "str", "required": True}, "days": {"type": "int", "default": 0}},
            },
        },
    )
    run_aws(module, lambda: run(module))


if __name__ == "__main__":
    main()
