# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The credential of a kubeconfig's user: a token for an EKS cluster, which is cached for later tasks.

Run this program as ``python eks_token.py --cluster C --region R [--profile P] [--state-dir D]``. It does the same as
``aws eks get-token``, and also caches the token: each task starts a new process, and signing takes most of a second of CPU time.
AWS's own environment variables and files configure the endpoint and the credentials.

The program is started by its path, outside of any Python package. It therefore loads ``module_utils/_kubernetes/token.py`` by
path, too.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import runpy
import secrets
import stat
import sys

API_VERSION = "client.authentication.k8s.io/v1beta1"
FOLDER = "eks-tokens"
EARLY = datetime.timedelta(minutes=5)
"""A token that expires within this time is not reused. Kubernetes' Python package requests a token for each API call."""
FORM = "%Y-%m-%dT%H:%M:%SZ"
SIGNING = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "module_utils", "_kubernetes", "token.py"
)
SECRETS = ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN")
FILES = (("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials"), ("AWS_CONFIG_FILE", "~/.aws/config"))
Status = dict[str, str]


class NoToken(Exception):
    """No token could be signed; the message has the reason."""


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="eks-token", allow_abbrev=False, description="a token for an EKS cluster")
    parser.add_argument("--cluster", required=True)
    parser.add_argument("--region", required=True)
    parser.add_argument("--profile")
    parser.add_argument("--state-dir", default="~/.mlfleet/hyperpod")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    now = datetime.datetime.now(datetime.timezone.utc)
    folder = open_folder(os.path.expanduser(options.state_dir))
    file = f"{key(options)}.json"
    try:
        status = kept(folder, file, now)
        if status is None:
            status = sign(options, now)
            keep(folder, file, status, now)
    except NoToken as error:
        who = f"profile {options.profile}" if options.profile else "the default credentials"
        what = f"eks-token: could not create a token for EKS cluster {options.cluster} with {who}"
        sys.stderr.write(f"{what}: {' '.join(str(error).split())}\n")
        return 1
    finally:
        if folder is not None:
            os.close(folder)
    credential = {"apiVersion": API_VERSION, "kind": "ExecCredential", "spec": {}, "status": status}
    sys.stdout.write(f"{json.dumps(credential)}\n")
    return 0


def key(options: argparse.Namespace) -> str:
    """The cache key. It changes if an option, an environment variable of AWS or a file of AWS changes."""
    names = [name for name in sorted(os.environ) if name.startswith("AWS_") and name not in SECRETS]
    parts = [options.profile or "", options.region, options.cluster, *(f"{name}={os.environ[name]}" for name in names)]
    for name, usual in FILES:
        try:
            found = os.stat(os.path.expanduser(os.environ.get(name) or usual))
            parts.append(f"{found.st_ino} {found.st_mtime_ns} {found.st_size}")
        except OSError:
            parts.append("")
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def sign(options: argparse.Namespace, now: datetime.datetime) -> Status:
    """Sign a new token.

    :raises NoToken: if AWS's files or variables are unusable.
    """
    try:
        import botocore.exceptions
        import botocore.session  # only without a cached token: the import takes most of the time
    except ImportError as error:
        raise NoToken(f"{sys.executable} has no botocore") from error
    signing = runpy.run_path(SIGNING)
    try:
        session = botocore.session.Session(profile=options.profile)
        token = signing["token"](session.create_client("sts", region_name=options.region), options.cluster)
        own = getattr(session.get_credentials(), "_expiry_time", None)
    except (botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError) as error:
        raise NoToken(str(error)) from error
    end = now + datetime.timedelta(seconds=signing["LIFE_SECONDS"])  # a token signed with temporary credentials expires with them
    return {"token": token, "expirationTimestamp": min(end, own or end).astimezone(datetime.timezone.utc).strftime(FORM)}


def open_folder(state_dir: str) -> int | None:
    """The folder of cached tokens, created if missing. None if it belongs to another user or other users have access to it."""
    path = os.path.join(state_dir, FOLDER)
    try:
        os.makedirs(state_dir, mode=0o700, exist_ok=True)
        if not os.path.lexists(path):
            os.mkdir(path, mode=0o700)
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    if private(os.fstat(folder)):
        return folder
    os.close(folder)
    return None


def private(found: os.stat_result) -> bool:
    return found.st_uid == os.geteuid() and not found.st_mode & 0o077


def kept(folder: int | None, file: str, now: datetime.datetime) -> Status | None:
    """The cached token, if the file belongs to this user and the token is valid for long enough."""
    if folder is None:
        return None
    try:
        with open(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder), encoding="utf-8") as stream:
            there = os.fstat(stream.fileno())
            if not private(there) or not stat.S_ISREG(there.st_mode):
                return None
            status = json.load(stream)
        end = datetime.datetime.strptime(status["expirationTimestamp"], FORM).replace(tzinfo=datetime.timezone.utc)
        good = set(status) == {"token", "expirationTimestamp"} and str(status["token"]).startswith("k8s-aws-v1.")
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return status if good and now + EARLY < end < now + datetime.timedelta(hours=1) else None


def keep(folder: int | None, file: str, status: Status, now: datetime.datetime) -> None:
    """Write the token to the cache atomically. If that fails, the next process signs a new token."""
    if folder is None:
        return
    part = f"{secrets.token_hex(8)}.part"
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
        with open(handle, "w", encoding="utf-8") as stream:
            json.dump(status, stream)
        os.rename(part, file, src_dir_fd=folder, dst_dir_fd=folder)
        for name in os.listdir(folder):
            if os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime < now.timestamp() - 3600:
                os.unlink(name, dir_fd=folder)
    except OSError:
        pass


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
