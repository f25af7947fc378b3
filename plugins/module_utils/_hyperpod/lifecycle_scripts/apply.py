# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Uploads scripts, and writes and removes the parameters with their digests."""

from __future__ import annotations

import io
import typing as t

from ..._aws.client import Api
from ..._aws.parameters import Parameters
from ..._aws.tags import collection_tags
from ..._core.arn import ClusterArn
from ..._core.plan import Step
from .model import Place, Script
from .plan import PUT_OBJECT, RECORD

COMPONENT = "lifecycle-scripts"


class Applier:
    """:param owner: the ID of the account that must own the bucket."""

    def __init__(self, s3: Api, parameters: Parameters, arn: ClusterArn | None, *, owner: str) -> None:
        self._s3 = s3
        self._parameters = parameters
        self._tags = collection_tags(arn, COMPONENT) if arn else {}
        self._owner = owner

    def __call__(self, step: Step) -> None:
        if step.operation == PUT_OBJECT:
            self._upload(step.arguments["place"], step.arguments["script"])
            return
        if step.operation == RECORD:
            self._record(step.arguments["texts"], step.arguments["there"])
        for name in step.arguments["surplus"]:
            self._parameters.delete(name, about=f"parameter {name}")

    def _upload(self, place: Place, script: Script) -> None:
        """S3 refuses a body that does not match the digest, such as a file that changed after it was read."""
        with open(script.src, "rb") if script.src else io.BytesIO(script.content.encode()) as body:
            self._s3.call(
                "PutObject",
                about=place.uri(script.name),
                Bucket=place.bucket,
                Key=place.key(script.name),
                Body=body,
                ChecksumSHA256=script.digest,
                ExpectedBucketOwner=self._owner,
            )

    def _record(self, texts: t.Mapping[str, str], there: t.Collection[str]) -> None:
        for name, text in texts.items():
            self._parameters.put(name, text, exists=name in there, about=f"parameter {name}", tags=self._tags)
