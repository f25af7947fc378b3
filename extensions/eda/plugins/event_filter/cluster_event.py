# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An event filter for ansible-rulebook. It checks a message about a HyperPod cluster, and passes on only checked values.

ansible-rulebook runs this file by its path, so the file imports nothing of the collection.
"""

from __future__ import annotations

import datetime
import logging
import re
import typing as t

DOCUMENTATION = r"""
---
short_description: Check messages about HyperPod clusters
description:
  - Replaces a message from a queue of SQS with an event that has only C(cluster) and C(time). AWS has written the message, but
    everyone who may send to the queue can write another one, so no text of the message is passed on. C(cluster) is a key from
    O(clusters).
  - The ARN of the message must be in O(clusters), and in the account and Region of the queue. Such a message can only cause a check
    of one of these clusters.
  - A check of the cluster that begins after C(time) covers this message, and all messages about the cluster that arrive within
    O(window). C(time) is the time of arrival plus O(window), because a throttle passes on only the first event of several.
  - A message that is not about a HyperPod cluster is replaced with an event that has only the key C(refused), with the reason.
    The reason is also logged. It contains no text of the message.
  - A message about a different cluster, such as one with EKS, also gets the key C(refused). It is logged only with the option C(-v)
    of ansible-rulebook.
  - The filter never fails, because ansible-rulebook ends if a filter fails.
options:
  account:
    description:
      - ID of the account of the queue, in quotation marks.
    type: str
    required: true
  region:
    description:
      - Region of the queue.
    type: str
    required: true
  clusters:
    description:
      - The key of each cluster in the inventory, by its ARN.
    type: dict
    required: true
  window:
    description:
      - Seconds of the throttle of the rule.
    type: int
    default: 0
"""

EXAMPLES = r"""
- amazon.aws.aws_sqs_queue:
    region: us-west-2
    name: mlfleet-hyperpod-events
  filters:
    - mlfleet.hyperpod.cluster_event:
        account: "111111111111"
        region: us-west-2
        clusters: {"arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456": ml}
        window: 5
"""

SOURCE = "aws.sagemaker"
CLUSTER_EVENT = "SageMaker HyperPod Cluster Event"
KINDS = (CLUSTER_EVENT, "SageMaker HyperPod Cluster Node Health Event", "SageMaker HyperPod Cluster State Change")
ARN = re.compile(r"arn:aws[a-z-]{0,20}:sagemaker:([a-z0-9-]{1,30}):([0-9]{12}):cluster/[a-z0-9]{12}")
ARN_LIKE = re.compile(r"arn:[^:]*:sagemaker:[^:]*:[^:]*:cluster/")
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
MOST_SECONDS_AHEAD = 900
"""Seconds by which the clock of AWS may be ahead. With a larger difference, AWS also refuses the requests of this machine."""
MOST_WINDOW = 3600
UTC = datetime.timezone.utc
FORM = "%Y-%m-%dT%H:%M:%SZ"
logger = logging.getLogger(__name__)


class _Refused(Exception):
    """The message is not about a HyperPod cluster of the queue's account and Region. The text has no value of the message."""


def main(
    event: t.Any, account: t.Any = "", region: t.Any = "", clusters: t.Any = None, window: t.Any = 0
) -> dict[str, t.Any]:
    """The event for the rules: either the keys ``cluster`` and ``time``, or the key ``refused``."""
    try:
        arn, time = _checked(event, str(account), str(region), int(window))
        key = _mapping(clusters, "the option clusters").get(arn)
    except _Refused as error:
        reason = str(error)
    except Exception as error:  # no message may end ansible-rulebook, whatever its form
        reason = f"the message could not be checked ({type(error).__name__})"
    else:
        if isinstance(key, str):
            return {"cluster": key, "time": time}
        logger.info("A message of the queue in account %s, Region %s is about a different cluster.", account, region)
        return {"refused": "the rulebook does not know the cluster"}
    logger.warning("A message of the queue in account %s, Region %s was refused: %s", account, region, reason)
    return {"refused": reason}


def _checked(event: t.Any, account: str, region: str, window: int) -> tuple[str, str]:
    """The ARN of the cluster, and the time after which a check of the cluster must begin."""
    message = _mapping(_mapping(event, "the event").get("body"), "the body of the message")
    if message.get("source") != SOURCE:
        raise _Refused(f"the source is not {SOURCE}")
    kind = message.get("detail-type")
    if not isinstance(kind, str) or kind not in KINDS:
        raise _Refused("the detail-type is not one of HyperPod")
    detail = _mapping(message.get("detail"), "detail")
    about = _mapping(detail.get("EventDetails"), "detail.EventDetails") if kind == CLUSTER_EVENT else detail
    arn = _arn(about.get("ClusterArn"), account, region)
    _check_place(message, account, region)
    _check_resources(message.get("resources"), arn)
    arrived = _now().replace(microsecond=0) + datetime.timedelta(seconds=1)
    covered = arrived + datetime.timedelta(seconds=min(max(window, 0), MOST_WINDOW))
    return arn, max(_time(message.get("time")), covered).strftime(FORM)


def _now() -> datetime.datetime:
    return datetime.datetime.now(UTC)


def _mapping(value: t.Any, name: str) -> dict[t.Any, t.Any]:
    if not isinstance(value, dict):
        raise _Refused(f"{name} is not a JSON object")
    return value


def _arn(value: t.Any, account: str, region: str) -> str:
    match = ARN.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise _Refused("ClusterArn is not the ARN of a HyperPod cluster")
    if match.groups() != (region, account):
        raise _Refused("the cluster is not in the account and Region of the queue")
    return match[0]


def _check_place(message: dict[t.Any, t.Any], account: str, region: str) -> None:
    if (message.get("account"), message.get("region")) != (account, region):
        raise _Refused("account and region of the message are not those of the queue")


def _check_resources(resources: t.Any, arn: str) -> None:
    """The list may have other resources, but no other cluster."""
    if not isinstance(resources, list):
        raise _Refused("resources is not a list")
    clusters = [each for each in resources if isinstance(each, str) and ARN_LIKE.match(each)]
    if any(each != arn for each in clusters):
        raise _Refused("resources and ClusterArn name different clusters")


def _time(value: t.Any) -> datetime.datetime:
    if not isinstance(value, str) or not TIME.fullmatch(value):
        raise _Refused("time is not a UTC time such as 2026-01-31T12:00:00Z")
    try:
        moment = datetime.datetime.strptime(value, FORM).replace(tzinfo=UTC)
    except ValueError:
        raise _Refused("time is not a time that exists") from None
    if moment - _now() > datetime.timedelta(seconds=MOST_SECONDS_AHEAD):
        raise _Refused("time is in the future")
    return moment
