# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""host_certificate: signs certificates that are due, and stores nothing."""

from __future__ import annotations

import datetime
import json
import os

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys import keys as host_keys
from simulated.shape import reads

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")


NOW = datetime.datetime.now(datetime.timezone.utc)
AUTHORITY = json.loads(host_keys.generate(["ed25519"], now=NOW))["keys"]["ed25519"]
NODE = json.loads(host_keys.generate(["ed25519", "rsa"], now=NOW))["keys"]
OPTIONS = {
    "authority": AUTHORITY["public"],
    "public_keys": [pair["public"] for pair in NODE.values()],
    "principals": ["login.example.com"],
    "key_id": "i-0123456789abcdef0",
}


def test_certificates_are_signed_once_if_they_are_passed_back(node):
    foreseen = node.run("host_certificate", check=True, **OPTIONS)
    assert foreseen["changed"] and node.changes() == []
    assert {each["certificate"] for each in foreseen["host_certificates"]} == {"(known after apply)"}
    signed = node.run("host_certificate", private_key=AUTHORITY["private"], **OPTIONS)
    assert signed["changed"] and node.changes() == []
    assert [each["resource"] for each in signed["changes"]] == [each["resource"] for each in foreseen["changes"]]
    given = [each["certificate"] for each in signed["host_certificates"]]
    for check in (False, True):
        second = reads(node, "host_certificate", check=check, certificates=given, **OPTIONS)
        assert [each["certificate"] for each in second["host_certificates"]] == given


def test_without_the_authority_key_nothing_is_signed(node):
    refused = node.run("host_certificate", **OPTIONS)
    assert refused["failed"] and "private_key" in refused["msg"] and "exception" not in refused, refused
