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
DEFAULTS: dict[str, tuple[tuple[str, str, int, bool], ...]] = {
    "sagemaker": (
        ("L-8762A75F", "ml.p5.48xlarge for cluster usage", 0, True),
        ("L-1A2B3C4D", "ml.m5.large for cluster usage", 4, True),
        ("L-1A2B3C4E", "ml.m5.large for cluster spot instance usage", 0, True),
        ("L-2CE978FC", "Maximum number instances allowed per SageMaker HyperPod cluster", 20, True),
        ("L-3308CCC7", "Total number of instances allowed across SageMaker HyperPod clusters", 30, True),
        ("L-97A2C724", "Total number of Spot instances allowed across SageMaker HyperPod clusters", 0, True),
        ("L-E13DF72A", "Maximum size of EBS volume in GB for a SageMaker HyperPod cluster instance", 1024, False),
    ),
    "ec2": (
        ("L-1216C47A", "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances", 5, True),
        ("L-DB2E81BA", "Running On-Demand G and VT instances", 0, True),
        ("L-417A185B", "Running On-Demand P instances", 0, True),
        ("L-1945791B", "Running On-Demand Inf instances", 0, True),
        ("L-2C3B7624", "Running On-Demand Trn instances", 0, True),
        ("L-74FC7D96", "Running On-Demand F instances", 0, True),
        ("L-7295265B", "Running On-Demand X instances", 0, True),
        ("L-6E869C2A", "Running On-Demand DL instances", 0, True),
        ("L-F7808C92", "Running On-Demand HPC instances", 0, True),
        ("L-43DA4232", "Running On-Demand High Memory instances", 0, True),
        ("L-34B43A08", "All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests", 5, True),
        ("L-3819A6DF", "All G and VT Spot Instance Requests", 0, True),
        ("L-7212CCBC", "All P4, P3 and P2 Spot Instance Requests", 0, True),
        ("L-C4BD4855", "All P5 Spot Instance Requests", 0, True),
        ("L-B5D1601B", "All Inf Spot Instance Requests", 0, True),
        ("L-6B0D517C", "All Trn Spot Instance Requests", 0, True),
        ("L-88CF9481", "All F Spot Instance Requests", 0, True),
        ("L-E3A00192", "All X Spot Instance Requests", 0, True),
        ("L-85EED4F7", "All DL Spot Instance Requests", 0, True),
        ("L-0263D0A3", "EC2-VPC Elastic IPs", 5, True),
    ),
    "vpc": (
        ("L-F678F1CE", "VPCs per Region", 5, True),
        ("L-FE5A380F", "NAT gateways per Availability Zone", 5, True),
    ),
    "eks": (("L-1194D53C", "Clusters", 100, True),),
}
"""Code, name, default value, and whether it can be increased, keyed by service. A new account has no vCPUs for P and G instances:
https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html
"""


class Quotas(ServiceQuotasBackend):
    """moto's backend with the quotas of DEFAULTS."""

    def __init__(self, region_name: str, account_id: str) -> None:
        super().__init__(region_name, account_id)
        self.requests: list[Answer] = []

    def defaults(self, service: str) -> list[Answer]:
        return [self._quota(service, *each) for each in DEFAULTS[service]]

    def applied(self, service: str) -> list[Answer]:
        """Quotas of the account; those that were never changed may be missing."""
        own = cloud.current().settings["service_quotas"]
        rows = ((code, name, own.get(name), adjustable) for code, name, _value, adjustable in DEFAULTS[service])
        return [self._quota(service, code, name, value, adjustable) for code, name, value, adjustable in rows if value is not None]

    def history(self, service: str, code: str) -> list[Answer]:
        return [each for each in self.requests if (each["ServiceCode"], each["QuotaCode"]) == (service, code)]

    def request_increase(self, service: str, code: str, value: float) -> Answer:
        """:raises Refusal: for an unknown quota, and while another request is open."""
        name = next((name for known, name, _value, _adjustable in DEFAULTS[service] if known == code), "")
        if not name:
            raise Refusal("NoSuchResourceException", f"There is no quota {code}")
        if self.history(service, code):
            raise Refusal("ResourceAlreadyExistsException", f"There is an open request for quota {code}")
        moment = datetime.datetime.now(datetime.timezone.utc)
        about = {"Id": str(uuid.uuid4()), "ServiceCode": service, "QuotaCode": code, "QuotaName": name}
        self.requests.append({**about, "DesiredValue": value, "Status": "PENDING", "Created": moment})
        return self.requests[-1]

    def _quota(self, service: str, code: str, name: str, value: float, adjustable: bool) -> Answer:
        arn = f"arn:{self.partition}:servicequotas:{self.region_name}:{self.account_id}:{service}/{code}"
        about = {"ServiceCode": service, "QuotaArn": arn, "QuotaCode": code, "QuotaName": name}
        return {**about, "Value": float(value), "Adjustable": adjustable}
