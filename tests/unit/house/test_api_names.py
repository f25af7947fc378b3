# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Words in CamelCase are names of AWS's APIs: each is in the model of a service, or listed here."""

from __future__ import annotations

import ast
import re
import typing as t
from pathlib import Path

import botocore.session

ROOT = Path(__file__).parents[3]
SERVICES = (
    *("acm", "cloudwatch", "ec2", "eks", "elbv2", "events", "fsx", "iam", "logs", "pricing", "s3", "sagemaker", "secretsmanager", "service-quotas"),
    *("sqs", "ssm", "sts"),
)
FLOORS = re.compile(r"plugins/(module_utils/_(aws|balancer|client_vpn|host_keys|hyperpod|lock|node_access)|modules|inventory|plugin_utils/_inventory)/")
WORD = re.compile(r"[A-Z][a-z]+[A-Za-z0-9]*")

CODES = {
    "ConcurrentMutationLimitExceeded",
    "DependencyViolation",
    "ExpiredToken",
    "InvalidClientVpnActiveAssociationNotFound",
    "InvalidClientVpnAssociationIdNotFound",
    "InvalidClientVpnDuplicateAssociationException",
    "InvalidClientVpnDuplicateAuthorizationRule",
    "InvalidClientVpnDuplicateRoute",
    "InvalidClientVpnEndpointAuthorizationRuleNotFound",
    "InvalidClientVpnRouteNotFound",
    "RequestLimitExceeded",
    "ServiceUnavailable",
    "Throttling",
    "TooManyRequestsException",
    "UnauthorizedOperation",
}
"""Error codes that are documented but not in the models: those of EC2, and those common to all services."""
BOTOCORE = {"NoCredentialsError", "NoRegionError", "PaginationConfig", "ProfileNotFound", "ResponseMetadata"}
STEPS = {
    *("ForgetPerson", "ImportCertificateAgain", "IssueCertificates", "MakeAuthority", "MakePerson", "MakeServer"),
    *("RecordCertificate", "RecordIssued", "RecordRestored", "RemoveProfile", "RenewPerson", "RenewServer"),
    *("Sign", "SignCrl", "TagPerson", "Together", "WriteProfile"),
}
"""Steps of plans that are not exactly one API call."""
NEWER = {"AttachInProgress", "DetachInProgress"}
"""In botocore from 1.44.8 on."""
OTHERS = {
    *("AmazonEC2", "AmazonEKS", "AmazonFSx", "AmazonSageMaker", "AmazonVPC", "Arns", "Authority", "Clusters", "Lustre", "Reserved"),
    "Used",
}
"""Codes of services, values and a part of a text in the price list, the end of two names of lists of ARNs, a field of certificates, and
the name of a quota."""


def test_every_name_exists_in_aws() -> None:
    known = {*_of_services(), *CODES, *BOTOCORE, *STEPS, *NEWER, *OTHERS}
    unknown = [f"{place}: {word}" for word, place in _words() if word not in known]
    assert len(known) > 10_000 and not unknown, unknown


def test_every_listed_name_is_used() -> None:
    used = {word for word, _place in _words()}
    assert {*CODES, *BOTOCORE, *STEPS, *NEWER, *OTHERS} <= used


def _of_services() -> t.Iterator[str]:
    session = botocore.session.get_session()
    for service in SERVICES:
        model = session.get_service_model(service)
        yield from model.operation_names
        for name in model.shape_names:
            shape = model.shape_for(name)
            yield name
            yield from getattr(shape, "members", ())
            yield from getattr(shape, "enum", ())
            yield shape.metadata.get("error", {}).get("code", name)


def _words() -> t.Iterator[tuple[str, str]]:
    for path in sorted(ROOT.glob("plugins/**/*.py")):
        name = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))) if FLOORS.match(name) else ():
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and WORD.fullmatch(node.value):
                yield node.value, f"{name}:{node.lineno}"
