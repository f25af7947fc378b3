# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A refused import into ACM is not repeated; after a lost reply, the certificate is looked up first."""

from __future__ import annotations

import datetime
import json

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.secrets import Secrets
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.certificate.api import Acm
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.certificate.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.certificate.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.certificate.plan import IMPORT
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.identity import identity_tags
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.pki import crypto
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step

VPC = "vpc-0123456789abcdef0"
DESIRED = Desired(VPC, "p/server", identity_tags(VPC))
NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)
OWN = crypto.make_authority("example", days=3650, now=NOW)
MADE = crypto.Signer(OWN.certificate, OWN.private_key).server("server.vpn.example.com", days=397, now=NOW)
SECRET = {"certificate": MADE.certificate.pem, "private_key": MADE.private_key, "chain": OWN.certificate.pem}
REFUSED = (
    "AccessDenied",
    "AccessDeniedException",
    "ExpiredTokenException",
    "InvalidArnException",
    "InvalidParameterException",
    "InvalidTagException",
    "LimitExceededException",
    "ResourceNotFoundException",
    "TagPolicyException",
    "TooManyTagsException",
    "UnrecognizedClientException",
    "ValidationException",
)


def step(fingerprint: str = MADE.certificate.fingerprint) -> Step:
    return Step(IMPORT, {"fingerprint": fingerprint}, ())


@pytest.fixture
def applier(stubbed):
    """The applier under test, and the stubber of its ACM client."""
    (acm, _none), (once, importing), (secrets, kept) = stubbed("acm"), stubbed("acm"), stubbed("secretsmanager")
    kept.add_response("get_secret_value", {"SecretString": json.dumps(SECRET)})
    return Applier(Acm(acm), Api(once), Secrets(Api(secrets)), DESIRED), importing


@pytest.mark.parametrize("code", REFUSED)
def test_a_permanent_error_is_raised_at_once(applier, code):
    apply, importing = applier
    importing.add_client_error("import_certificate", code)
    with pytest.raises(AwsError) as raised:
        apply(step())
    assert raised.value.code == code


def test_a_secret_that_was_changed_since_the_plan_is_not_imported(applier):
    apply, _importing = applier
    with pytest.raises(Refused, match="Secret p/server was changed concurrently"):
        apply(step("ab:cd"))
