# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The registry to which real builders push images, and the environment that they need for it."""

from __future__ import annotations

import contextlib
import os
import typing as t
from pathlib import Path

import boto3
from lab.aws.registry import images, programs, server
from lab.kubernetes.pki import Authority
from lab.names import REGISTRY


@contextlib.contextmanager
def registry(url: str, authority: Authority, **more: t.Any) -> t.Iterator[server.Registry]:
    """The registry of the simulated AWS at ``url``, with a base image in another account and Region."""

    def client(account: str, region: str) -> t.Any:
        keys = {"aws_access_key_id": f"AKIAADMIN{account}", "aws_secret_access_key": "example"}
        return boto3.client("ecr", region_name=region, endpoint_url=url, **keys)

    with server.served(client, authority=authority, hosts=(REGISTRY, images.BASE_HOST), **more) as made:
        images.add_base(made)
        yield made


def variables(builder: programs.Program, registry: server.Registry, authority: Path, home: Path) -> dict[str, str]:
    """Environment variables of the builder, for which the registry is the proxy.

    :param authority: the certificate that it trusts.
    """
    host, port = registry.address
    network = {"HTTPS_PROXY": f"http://{host}:{port}", "NO_PROXY": "127.0.0.1", "SSL_CERT_FILE": str(authority)}
    return {**builder.settings(home), **network, "PATH": f"{builder.installed() / 'bin'}:{os.environ['PATH']}"}
