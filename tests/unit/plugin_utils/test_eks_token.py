# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The credential program, run by its path as kubectl does. It sends no request to AWS, so no part of AWS is needed."""

from __future__ import annotations

import base64
import datetime
import json
import os
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import eks_token

PLANTED = "k8s-aws-v1.planted"
CREDENTIALS = """[ops]
aws_access_key_id = AKIAOPS
aws_secret_access_key = not-a-secret
[dev]
aws_access_key_id = AKIADEV
aws_secret_access_key = not-a-secret
"""


class Bench:
    """A home with two profiles, and the program's state folder."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.state = home / "state"
        self.folder = self.state / "eks-tokens"
        (home / ".aws").mkdir()
        (home / ".aws" / "credentials").write_text(CREDENTIALS)

    def run(self, *, cluster: str = "pods", region: str = "us-west-2", profile: str = "ops", **env: str) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, eks_token.__file__, "--cluster", cluster, "--region", region, "--state-dir", str(self.state)]
        argv += ["--profile", profile] if profile else []
        return subprocess.run(argv, env={"HOME": str(self.home), **env}, capture_output=True, text=True, check=False)

    def status(self, **options: str) -> dict[str, str]:
        done = self.run(**options)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        answer = json.loads(done.stdout)
        assert answer == {
            "apiVersion": "client.authentication.k8s.io/v1beta1", "kind": "ExecCredential", "spec": {}, "status": answer["status"],
        }
        return dict(answer["status"])

    def token(self, **options: str) -> str:
        return self.status(**options)["token"]

    def files(self) -> list[Path]:
        return sorted(self.folder.iterdir())

    def plant(self, minutes: float = 10, **more: t.Any) -> Path:
        """Replace the only cached token."""
        (file,) = self.files()
        end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
        file.write_text(json.dumps({"token": PLANTED, "expirationTimestamp": end.strftime(eks_token.FORM), **more}))
        return file


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_token_is_signed_by_the_profile_for_the_cluster(bench: Bench) -> None:
    status = bench.status()
    encoded = status["token"].removeprefix("k8s-aws-v1.")
    url = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
    assert url.startswith("https://sts.us-west-2.amazonaws.com/?Action=GetCallerIdentity") and "AKIAOPS" in url
    end = datetime.datetime.strptime(status["expirationTimestamp"], eks_token.FORM).replace(tzinfo=datetime.timezone.utc)
    left = (end - datetime.datetime.now(datetime.timezone.utc)).total_seconds()
    assert 12 * 60 < left <= 14 * 60


def test_the_endpoint_variables_of_aws_are_used(bench: Bench) -> None:
    encoded = bench.token(AWS_ENDPOINT_URL="http://127.0.0.1:5000").removeprefix("k8s-aws-v1.")
    assert base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode().startswith("http://127.0.0.1:5000/?Action=")


def test_a_token_is_reused_for_equal_requests(bench: Bench) -> None:
    bench.token()
    bench.plant()
    assert bench.token() == PLANTED
    others: list[dict[str, str]] = [{"profile": "dev"}, {"cluster": "other"}, {"region": "us-east-1"}, {"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}]
    others.append({"profile": "", "AWS_PROFILE": "ops"})
    assert PLANTED not in [bench.token(**other) for other in others]
    assert len(bench.files()) == 6
    assert bench.token() == PLANTED


def test_no_token_is_reused_after_a_change_of_credentials(bench: Bench) -> None:
    bench.token()
    bench.plant()
    (bench.home / ".aws" / "credentials").write_text(CREDENTIALS.replace("AKIAOPS", "AKIASOMEBODY"))
    assert bench.token() != PLANTED


def test_cached_tokens_are_private(bench: Bench) -> None:
    before = os.umask(0)
    try:
        bench.token()
    finally:
        os.umask(before)
    (file,) = bench.files()
    assert [path.stat().st_mode & 0o777 for path in (bench.state, bench.folder, file)] == [0o700, 0o700, 0o600]
    assert "pods" not in file.name and "ops" not in file.name and "not-a-secret" not in file.read_text()


@pytest.mark.parametrize(
    ("minutes", "more"),
    [
        (-1, {}),
        (4.9, {}),
        (90, {}),
        (10, {"token": "another"}),
        (10, {"token": 1}),
        (10, {"expirationTimestamp": "soon"}),
        (10, {"expirationTimestamp": None}),
        (10, {"clientKeyData": "x"}),
    ],
)
def test_expired_tokens_are_replaced(bench: Bench, minutes: float, more: dict[str, t.Any]) -> None:
    bench.token()
    planted = bench.plant(minutes, **more).read_text()
    assert bench.token() not in (PLANTED, "another")
    (file,) = bench.files()
    assert file.read_text() != planted


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"a"', "\udcff"])
def test_unreadable_tokens_are_replaced(bench: Bench, text: str) -> None:
    bench.token()
    (file,) = bench.files()
    file.write_bytes(text.encode(errors="surrogateescape"))
    assert bench.token() == json.loads(file.read_text())["token"]


def test_unsafe_files_are_not_used(bench: Bench) -> None:
    bench.token()
    file = bench.plant()
    file.chmod(0o640)
    assert bench.token() != PLANTED and file.stat().st_mode & 0o777 == 0o600
    bench.plant()
    elsewhere = bench.home / "elsewhere"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)
    assert bench.token() != PLANTED and not file.is_symlink() and PLANTED in elsewhere.read_text()
    file.unlink()
    os.mkfifo(file, 0o600)
    assert bench.token() != PLANTED
    if os.geteuid() == 0:
        os.chown(bench.plant(), 65534, -1)
        assert bench.token() != PLANTED


@pytest.mark.parametrize("what", ["open", "link", "file", "foreign"])
def test_an_unsafe_folder_is_not_used(bench: Bench, what: str) -> None:
    bench.state.mkdir(mode=0o700)
    if what == "file":
        bench.folder.write_text("")
    elif what == "link":
        (bench.home / "else").mkdir(mode=0o700)
        bench.folder.symlink_to(bench.home / "else")
    else:
        bench.folder.mkdir(mode=0o700)
        if what == "open":
            bench.folder.chmod(0o750)
        elif os.geteuid() != 0:
            pytest.skip("only root gives files away")
        else:
            os.chown(bench.folder, 65534, -1)
    assert bench.token().startswith("k8s-aws-v1.")
    assert not [path for path in bench.home.rglob("*") if path.suffix in (".json", ".part")]


def test_old_tokens_are_removed(bench: Bench) -> None:
    bench.token()
    (file,) = bench.files()
    os.utime(file, (1, 1))
    bench.token(profile="dev")
    assert file not in bench.files() and len(bench.files()) == 1


def test_tokens_expire_with_temporary_credentials(bench: Bench) -> None:
    soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=12)
    keys = {"AWS_ACCESS_KEY_ID": "ASIA", "AWS_SECRET_ACCESS_KEY": "not-a-secret", "AWS_SESSION_TOKEN": "not-a-token"}
    status = bench.status(profile="", **keys, AWS_CREDENTIAL_EXPIRATION=soon.isoformat())
    assert status["expirationTimestamp"] == soon.strftime(eks_token.FORM)


def test_missing_credentials_are_reported(bench: Bench) -> None:
    done = bench.run(profile="missing")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "eks-token: could not create a token for EKS cluster pods with profile missing: The config profile (missing) could not be found\n"
    done = bench.run(profile="", AWS_EC2_METADATA_DISABLED="true")
    assert done.stderr == "eks-token: could not create a token for EKS cluster pods with the default credentials: Unable to locate credentials\n"
