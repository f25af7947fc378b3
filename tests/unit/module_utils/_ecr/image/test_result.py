# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.model import (
    NEW,
    Desired,
    Image,
    Repository,
    Scan,
    Source,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.result import result

DESIRED = Desired("training", "llama", Source("/context", "Containerfile", {}, "linux/amd64", ("python:3",), "0" * 64), 1, 0)


def test_an_image() -> None:
    image = Image("sha256:1", 5, "2026-11-29T00:00:00Z", Scan("complete", "", {"high": 1}, "2026-11-29T00:01:00Z"))
    assert result(DESIRED, State(Repository("host/training"), image, image))["training_image"] == {
        "repository_uri": "host/training",
        "tag": "llama",
        "digest": "sha256:1",
        "reference": "host/training@sha256:1",
        "source_tag": "source-00000000000000000000",
        "size_bytes": 5,
        "pushed_at": "2026-11-29T00:00:00Z",
        "platform": "linux/amd64",
        "base_images": ["python:3"],
        "scan": {"status": "complete", "reason": "", "severities": {"high": 1}, "completed_at": "2026-11-29T00:01:00Z"},
    }


def test_a_predicted_image() -> None:
    found = result(DESIRED, State(Repository("host/training"), NEW, NEW))["training_image"]
    assert found["digest"] == found["reference"] == found["scan"]["status"] == KNOWN_AFTER_APPLY


def test_an_image_that_was_removed_during_the_run() -> None:
    with pytest.raises(Failure, match="image tag training:llama was removed while the module ran"):
        result(DESIRED, State(Repository("host/training")))
