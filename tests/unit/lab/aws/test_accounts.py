# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The account of a call."""

from __future__ import annotations

import boto3
from refusals import code


def test_the_access_key_selects_the_account(account):
    for number in ("111111111111", "222222222222"):
        assert type(account)(account.url, number).client("sts").get_caller_identity()["Account"] == number


def test_a_profile_with_a_role_uses_the_account_of_the_role(account, tmp_path, monkeypatch):
    (tmp_path / "config").write_text(
        "[profile lab]\nregion = us-west-2\n[profile other]\nregion = us-west-2\nsource_profile = lab\n"
        "role_arn = arn:aws:iam::222222222222:role/lab\n"
    )
    (tmp_path / "credentials").write_text("[lab]\naws_access_key_id = AKIAEXAMPLE\naws_secret_access_key = x\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_ENDPOINT_URL", account.url)
    for variable in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(variable, raising=False)
    identities = {
        profile: boto3.Session(profile_name=profile).client("sts").get_caller_identity()["Account"]
        for profile in ("lab", "other")
    }
    assert identities == {"lab": "111111111111", "other": "222222222222"}
    boto3.Session(profile_name="other").client("ssm").put_parameter(Name="/theirs", Value="x", Type="String")
    assert code(account.client("ssm").get_parameter, Name="/theirs") == "ParameterNotFound"
    other = type(account)(account.url, "222222222222").client("ssm")
    assert other.get_parameter(Name="/theirs")["Parameter"]["Value"] == "x"
