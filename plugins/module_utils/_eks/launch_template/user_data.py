# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""User data of EKS nodes with AL2023: a NodeConfig of nodeadm in a MIME message, which EKS merges with its own user data.

https://awslabs.github.io/amazon-eks-ami/nodeadm/
"""

from __future__ import annotations

import base64
import binascii
import email
import json
import typing as t

CONTENT_TYPE = "application/node.eks.aws"
_MESSAGE = """\
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="BOUNDARY"

--BOUNDARY
Content-Type: {type}

---
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
{spec}
--BOUNDARY--
"""


def user_data(*, local_storage: str, cluster: t.Mapping[str, str]) -> str:
    """The text of the user data; empty if the nodes need no configuration.

    :param local_storage: a strategy of nodeadm, such as RAID0, or an empty text.
    :param cluster: values of ``spec.cluster``, which EKS does not add if the template has an image.
    """
    lines = []
    if cluster:
        lines += ["  cluster:", *(f"    {name}: {json.dumps(value)}" for name, value in cluster.items())]
    if local_storage:
        lines += ["  instance:", "    localStorage:", f"      strategy: {local_storage}"]
    return _MESSAGE.format(type=CONTENT_TYPE, spec="\n".join(lines)) if lines else ""


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def decoded(data: str) -> str:
    """The text of the user data; ``data`` itself if it is not text in base64."""
    try:
        return base64.b64decode(data, validate=True).decode()
    except (binascii.Error, ValueError):
        return data


def meaning(text: str) -> t.Any:
    """The parts of a MIME message, without its boundary. Two texts with equal parts have the same effect."""
    message = email.message_from_string(text.replace("\r\n", "\n"))
    if not message.is_multipart():
        return text.strip()
    return [(part.get_content_type(), str(part.get_payload()).strip()) for part in message.walk() if not part.is_multipart()]
