# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Quotas by name, and requests for increases, which stay pending."""

from __future__ import annotations

import datetime
import typing as t
import uuid

from moto.servicequotas.models import ServiceQuotasBackend

from .. import cloud
from ..action import Refusal

Answer = dict[str, t.Any]
DEFAULTS = (
    ("L-8762A75F", "ml.p5.48xlarge for cluster usage", 0, True),
    ("L-1A2B3C4D", "ml.m5.large for cluster usage", 4, True),
    ("L-1A2B3C4E", "ml.m5.large for cluster spot instance usage", 0, True),
    ("L-2CE978FC", "Maximum number instances allowed per SageMaker HyperPod cluster", 20, True),
    ("L-3308CCC7", "Total number of instances allowed across SageMaker HyperPod clusters", 30, True),
    ("L-97A2C724", "Total number of Spot instances allowed across SageMaker HyperPod clusters", 0, True),
    ("L-E13DF72A", "Maximum size of EBS volume in GB for a SageMaker HyperPod cluster instance", 1024, False),
)


class Quotas(ServiceQuotasBackend):
    """moto's backend with SageMaker's quotas."""

    def __init__(self, region_name: str, account_id: str) -> None:
        super().__init__(region_name, account_id)
        self.requests: list[Answer] = []

    def defaults(self) -> list[Answer]:
        return [self._quota(*each) for each in DEFAULTS]

    def applied(self) -> list[Answer]:
        """Quotas of the account; those that were never changed may be missing."""
        own = cloud.current().settings["service_quotas"]
        return [self._quota(code, name, own[name], adjustable) for code, name, _value, adjustable in DEFAULTS if name in own]

    def history(self, code: str) -> list[Answer]:
        return [each for each in self.requests if each["QuotaCode"] == code]

    def request_increase(self, code: str, value: float) -> Answer:
        """:raises Refusal: for an unknown quota, and while another request is open."""
        name = next((name for known, name, _value, _adjustable in DEFAULTS if known == code), "")
        if not name:
            raise Refusal("NoSuchResourceException", f"There is no quota {code}")
        if self.history(code):
            raise Refusal("ResourceAlreadyExistsException", f"There is an open request for quota {code}")
        moment = datetime.datetime.now(datetime.timezone.utc)
        about = {"Id": str(uuid.uuid4()), "ServiceCode": "sagemaker", "QuotaCode": code, "QuotaName": name}
        self.requests.append({**about, "DesiredValue": value, "Status": "PENDING", "Created": moment})
        return self.requests[-1]

    def _quota(self, code: str, name: str, value: float, adjustable: bool) -> Answer:
        arn = f"arn:{self.partition}:servicequotas:{self.region_name}:{self.account_id}:sagemaker/{code}"
        about = {"ServiceCode": "sagemaker", "QuotaArn": arn, "QuotaCode": code, "QuotaName": name}
        return {**about, "Value": float(value), "Adjustable": adjustable}
