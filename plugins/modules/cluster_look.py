#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_look
version_added: 0.1.0
short_description: Check whether a SageMaker HyperPod cluster has changed since the last full look
description:
  - A full look is a run of the playbook C(reconcile) that checks AWS and the login nodes completely. At its end, this module
    records hashes of the cluster's state in a parameter of Systems Manager Parameter Store. The next run compares the recorded
    hashes with AWS and the declaration. If they match, the cluster is quiet, and the run does not connect to its nodes.
  - A cluster is quiet if all of these conditions hold.
  - The last full look changed nothing, and left nothing pending or failed.
  - No run has acquired the lock since the last full look.
  - The nodes have the same IDs, disks and statuses as at the last full look. All of them are in the inventory.
  - The registered targets are the same as at the last full look, and all of them are healthy.
  - The records, the Client VPN endpoint and the declaration have not changed since the last full look.
  - Nothing has expired or become due for renewal since the last full look.
  - The last full look took place in the current period of O(full_look_minutes).
  - C(docs/use/operations.md) lists changes that only a full look detects.
options:
  cluster_arn:
    description:
      - ARN of the cluster. The Region must match the ARN.
    type: str
    required: true
  state:
    description:
      - Desired state of the record.
    type: str
    choices:
      query: Nothing is changed. The result contains whether the cluster is quiet.
      present: The state of the cluster after the full look of this run is recorded. With O(well=false), an existing record is
        invalidated instead.
      absent: No record exists.
    default: query
  full_look_minutes:
    description:
      - Maximum time between two full looks in minutes, 0 to 10080. With V(0), no cluster is quiet.
      - Time is divided into periods of this length, and a full look becomes due when a new period begins. The start of the
        periods is fixed for each cluster. It differs between clusters, so that their full looks are distributed over time. A full
        look can therefore become due earlier than O(full_look_minutes) after the last one.
    type: int
    default: 60
  full:
    description:
      - With O(state=query), whether the run must be a full look even if nothing has changed. The action plugin sets this option if
        C(vpn_revoke), C(client_vpn_revoke) or C(node_access_recheck) is set, because these variables take effect only in a full
        look.
    type: bool
    default: false
  declaration:
    description:
      - Hashes of the declaration, by part. The action plugin computes them from variables and from the files that these variables
        name. It reads the variables of the cluster's host, of each login node, and of one node for each different combination of
        inventory groups.
    type: dict
    default: {}
  _declaration_problem:
    description:
      - Internal, set by the action plugin. Why the declaration could not be read.
    type: str
    default: ""
  instance_ids:
    description:
      - Instance IDs of the cluster's nodes in the inventory. The action plugin sets this option.
    type: list
    elements: str
    default: []
  began:
    description:
      - RV(seen) from the start of the run. Required with O(state=present) and O(well=true).
    type: dict
  well:
    description:
      - With O(state=present), whether the full look changed nothing, and left nothing pending or failed. A change can leave work
        for the next run. For example, a target at the previous port is removed only after the target at the new port is healthy.
      - The action plugin sets this option from the verdict of the callback P(mlfleet.hyperpod.report#callback). Without that
        callback, nothing is recorded.
    type: bool
    default: false
  complete:
    description:
      - With O(state=present), whether the full look left nothing pending or failed, even if it changed something. The time when the
        look began is then recorded. M(mlfleet.hyperpod.cluster_event_wait) compares the times of events with it.
      - The action plugin sets this option from the verdict of the callback.
    type: bool
    default: false
  target_group:
    description:
      - With O(state=present), the ARN of the target group of the login nodes.
    type: str
    default: ""
  client_vpn_endpoint_id:
    description:
      - With O(state=present), the ID of the Client VPN endpoint of the cluster. Omit this option if the cluster has no endpoint.
    type: str
    default: ""
  ends:
    description:
      - With O(state=present), the expiry dates of certificates, of the CRL and of the host key rotation.
    type: list
    elements: dict
    default: []
    suboptions:
      until:
        description: Time of expiry, as an ISO time.
        type: str
        required: true
      days:
        description: Number of days before C(until) when a renewal becomes due. A negative number counts days after C(until).
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
      - O(state=present) writes the record each time, because the record contains the time of the full look.
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.cluster
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - 'IAM actions: C(ssm:GetParameter), C(ssm:GetParametersByPath), C(ssm:PutParameter), C(ssm:AddTagsToResource) and
    C(ssm:DeleteParameter) on C(parameter/mlfleet/hyperpod/*), C(sagemaker:ListClusterNodes),
    C(elasticloadbalancing:DescribeTargetHealth); for a client VPN
    C(ec2:DescribeClientVpnEndpoints), C(ec2:DescribeClientVpnTargetNetworks), C(ec2:DescribeClientVpnAuthorizationRules),
    C(ec2:ExportClientVpnClientCertificateRevocationList).'
  - With O(state=query), the action plugin calls AWS in its own process, which is faster than starting a module. This requires the
    connection P(ansible.builtin.local#connection), the Python interpreter of C(ansible-playbook), and a task without
    C(environment), C(become), C(delegate_to) or C(timeout). Otherwise, the action plugin starts the module on the host of the
    task, with the same result.
  - The module acquires no lock. If a call to AWS fails, the module does not fail, but the cluster is not quiet. The full look
    then reports the problem.
seealso:
  - module: mlfleet.hyperpod.cluster_event_wait
  - module: mlfleet.hyperpod.cluster_lock
  - module: mlfleet.hyperpod.cluster_record
"""

EXAMPLES = r"""
- name: Check whether the cluster has changed
  mlfleet.hyperpod.cluster_look:
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    region: us-west-2
  register: look

- name: Record the state after the full look
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
  description: Whether the cluster has not changed since the last full look, so that no full look is due.
  returned: with O(state=query)
  type: bool
  sample: true
reasons:
  description: Why the cluster is not quiet, or why nothing was recorded, as sentences.
  returned: success
  type: list
  elements: str
  sample: ["The lock's generation changed from 6 to 7."]
counts_again:
  description:
    - Whether a later run could regard the record as valid, although the cluster is not quiet now. Also true if the record could
      not be read, or if O(full) is the only reason for the full look. If true, invalidate the record with O(state=present) and
      O(well=false) before the run changes anything.
  returned: with O(state=query)
  type: bool
  sample: false
full_look:
  description: Time of the last full look. Null if no full look is recorded.
  returned: success
  type: str
  sample: "2026-11-21T01:02:03Z"
login_nodes_in_service:
  description:
    - Number of addresses that are healthy targets. Null if the module did not read the targets, because the cluster is not quiet
      for a different reason.
  returned: with O(state=query)
  type: int
  sample: 2
seen:
  description: State of the cluster in AWS. Pass it to O(began) at the end of the run. Null if a part of the state could not be
    read.
  returned: with O(state=query)
  type: dict
  sample:
    generation: 6
    nodes: 0d5fa1e27f0f4b52b2dd1d4bb0e6c1a7
    records: 1d4bb0e6c1a70d5fa1e27f0f4b52b2dd
    time: "2026-11-21T02:01:03Z"
declaration:
  description: The value of O(declaration). Pass it to O(declaration) at the end of the run.
  returned: with O(state=query)
  type: dict
  sample: {version: 8d5fa1e27f0f4b52b2dd1d4bb0e6c1a7}
other_settings:
  description:
    - Whether the settings or the version of the collection differ from those that the last full look applied. The settings are the
      same on each control node, and do not change when a node is replaced.
    - True if they are not known.
  returned: when O(state=query)
  type: bool
  sample: false
records:
  description:
    - All records of the cluster, by kind and name, as M(mlfleet.hyperpod.cluster_record) returns them. Null if the records could
      not be read.
  returned: with O(state=query)
  type: dict
  sample: {drained: {}, offboarded: {}, adopted: {}}
changes:
  description: The changes. In check mode, the predicted changes.
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
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError, aws_module, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.parameters import Parameters
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.server_time import ServerTime
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.api import Balancing
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets.observe import registered
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.api import ClientVpn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.endpoint.look import looked_at
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_seconds
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look import options, reasons
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.model import (
    LARGEST,
    Desired,
    FullLook,
    Observed,
    RunContext,
    State,
    digest,
    other_settings,
    parameter_of,
    targets_digest,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.observe import Observer, observed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.model import Records
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.observe import Observer as RecordsObserver
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.plan import refuse_bad
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.claim import own_token
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.observe import Observer as LockObserver
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import run_aws

SPEC = {
    "cluster_arn": {"type": "str", "required": True},
    "state": {"type": "str", "default": "query", "choices": ["query", "present", "absent"]},
    "full_look_minutes": {"type": "int", "default": 60},
    "full": {"type": "bool", "default": False},
    "declaration": {"type": "dict", "default": {}},
    "_declaration_problem": {"type": "str", "default": ""},
    "instance_ids": {"type": "list", "elements": "str", "default": []},
    "began": {"type": "dict"},
    "well": {"type": "bool", "default": False},
    "complete": {"type": "bool", "default": False},
    "target_group": {"type": "str", "default": ""},
    "client_vpn_endpoint_id": {"type": "str", "default": ""},
    "ends": {
        "type": "list",
        "elements": "dict",
        "default": [],
        "options": {"until": {"type": "str", "required": True}, "days": {"type": "int", "default": 0}},
    },
}
SETTINGS = {"argument_spec": SPEC}


class Services:
    """The AWS services of one cluster. Each service is called only when it is needed."""

    def __init__(self, module: t.Any) -> None:
        self.arn = ClusterArn.parse(module.params["cluster_arn"])
        check_region(self.arn, module.region)
        self.run = options.run_context(module.params, self.arn, now=datetime.datetime.now(datetime.timezone.utc))
        self.ssm = connect(module, "ssm")
        self.time = ServerTime(self.ssm)
        self.parameters = Parameters(self.ssm)
        self.full_look = Observer(self.parameters, self.arn)
        self.records: Records | None = None
        self._module = module

    def cluster(self) -> Observed:
        """The lock, the records and the nodes of the cluster."""
        locks = LockObserver(self.ssm, self.arn)()
        found = RecordsObserver(Parameters(self.ssm), self.arn)()
        refuse_bad(found)
        self.records = found.records
        hyperpod = connect_hyperpod(self._module)
        return observed(hyperpod, self.arn, locks=locks, records=found.records, token=own_token())

    def targets(self, group: str) -> dict[str, str]:
        """The health of targets, by address and port. Targets that are being deregistered are left out."""
        if not group:
            return {}
        balancing = Balancing(connect(self._module, "elbv2").client)
        found = registered(balancing, group, about=f"target group {group}")
        return {f"{each.ip}:{each.port}": each.health for each in found if each.active}

    def vpn(self, endpoint: str) -> str:
        """A hash of the endpoint with its networks, rules and CRL. Empty if the cluster has no endpoint."""
        if not endpoint:
            return ""
        return digest(looked_at(ClientVpn(connect(self._module, "ec2").client), endpoint))


def query(module: t.Any) -> dict[str, t.Any]:
    """Whether the cluster is quiet. The targets and the VPN are read only if nothing else has changed."""
    services = Services(module)
    run = services.run
    kept: State | None = None
    seen: Observed | None = None
    in_service: int | None = None
    try:
        kept = services.full_look()
        seen = services.cluster()
        why = reasons.reasons(kept.look, run, seen)
        if kept.look is not None and not why:
            targets = services.targets(kept.look.target_group)
            in_service = reasons.in_service(targets)
            why = reasons.reasons_of_parts(kept.look, targets=targets, vpn=services.vpn(kept.look.endpoint))
    except (AwsError, Refused) as error:
        why = (str(error),)
    look = kept.look if kept else None
    again = look is None or reasons.could_count(look, run, seen.generation if seen else None)
    return {
        "quiet": not why,
        "reasons": list(why),
        "counts_again": bool(why) and again and (kept is None or kept.exists),
        "full_look": look and look.looked,
        "login_nodes_in_service": in_service,
        "seen": seen and _seen(services, seen),
        "declaration": dict(run.declared),
        "other_settings": other_settings(run.declared, look.declared if look else {}),
        "records": services.records,
    }


def _seen(services: Services, seen: Observed) -> dict[str, t.Any]:
    """The state, and when the run began in AWS's time. The time is empty if inventory and AWS do not list the same nodes."""
    time = services.time.first if seen.instance_ids == services.run.inventory else ""
    return {"generation": seen.generation, "nodes": seen.nodes, "records": seen.records, "time": time}


def desired(services: Services, params: t.Mapping[str, t.Any]) -> Desired:
    if params["state"] == "absent":
        return Desired(None)
    if not params["well"]:
        run = services.run
        return Desired(FullLook(iso_seconds(run.now), False, declared=run.declared, complete=options.complete_since(params)))
    seen = services.cluster()
    hindrances = reasons.hindrances(options.began(params), services.run, seen)
    look = full_look(services, params, services.run, seen)
    if len(look.to_json()) > LARGEST:
        hindrances = (*hindrances, f"The record is longer than {LARGEST} characters.")
    return Desired(look, hindrances)


def full_look(services: Services, params: t.Mapping[str, t.Any], run: RunContext, seen: Observed) -> FullLook:
    group, endpoint = params["target_group"], params["client_vpn_endpoint_id"]
    return FullLook(
        looked=iso_seconds(run.now),
        well=True,
        generation=seen.generation,
        declared=run.declared,
        nodes=seen.nodes,
        records=seen.records,
        targets=targets_digest(services.targets(group)),
        target_group=group,
        endpoint=endpoint,
        vpn=services.vpn(endpoint),
        due=options.due(params["ends"], now=run.now),
        complete=options.complete_since(params),
    )


def resource(module: t.Any) -> Resource:
    services = Services(module)
    wanted = desired(services, module.params)
    return Resource(
        observe=services.full_look,
        plan=lambda state: plan(wanted, state, name=parameter_of(services.arn)),
        apply=Applier(services.parameters, services.arn),
        result=lambda state: result(wanted, state),
    )


def run(module: t.Any) -> t.NoReturn:
    if module.params["state"] == "query":
        read_aws(module, query)
    run_aws(module, resource)


def main() -> None:
    run(aws_module(**SETTINGS))


if __name__ == "__main__":
    main()
