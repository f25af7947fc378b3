# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The result of ``training_image``."""

from __future__ import annotations

import typing as t

from ..._core.failure import Failure
from ..._core.plan import KNOWN_AFTER_APPLY
from .model import Desired, Image, Scan, State


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    """:raises Failure: if the image was removed during the run."""
    if state.tagged is None:
        raise Failure(f"{desired.resource} was removed while the module ran. Run again.")
    return {"training_image": _to_result(desired, state.repository.uri, state.tagged)}


def _to_result(desired: Desired, uri: str, image: Image) -> dict[str, t.Any]:
    known = image.digest != KNOWN_AFTER_APPLY
    return {
        "repository_uri": uri,
        "tag": desired.tag,
        "digest": image.digest,
        "reference": f"{uri}@{image.digest}" if known else KNOWN_AFTER_APPLY,
        "source_tag": desired.source_tag,
        "size_bytes": image.size,
        "pushed_at": image.pushed_at,
        "platform": desired.source.platform,
        "base_images": list(desired.source.base_images),
        "scan": _scan(image.scan),
    }


def _scan(scan: Scan) -> dict[str, t.Any]:
    return {"status": scan.status, "reason": scan.reason, "severities": dict(scan.severities), "completed_at": scan.completed_at}
