# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY, Change
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.model import (
    NEW,
    Desired,
    Image,
    Repository,
    Scan,
    Source,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.plan import plan

DESIRED = Desired("training", "llama", Source("/context", "Containerfile", {}, "linux/amd64", (), "0" * 64), 1, 0)
SOURCE = f"image training:source-{'0' * 20}"
ONE, TWO = (Image(digest, 1, "", Scan("complete")) for digest in ("sha256:1", "sha256:2"))
MUTABLE, IMMUTABLE = Repository("host/training"), Repository("host/training", "IMMUTABLE")
BUILT = Change("create", SOURCE, after=KNOWN_AFTER_APPLY)


def tagged(action: str, before: str | None, after: str) -> Change:
    return Change(action, "image tag training:llama", "digest", before, after)


@pytest.mark.parametrize(
    ("repository", "source", "tag", "operations", "changes"),
    [
        (MUTABLE, ONE, ONE, [], ()),
        (IMMUTABLE, ONE, ONE, [], ()),
        (MUTABLE, ONE, TWO, ["PutImage"], (tagged("update", "sha256:2", "sha256:1"),)),
        (IMMUTABLE, ONE, None, ["PutImage"], (tagged("create", None, "sha256:1"),)),
        (MUTABLE, None, TWO, ["build", "PutImage"], (BUILT, tagged("update", "sha256:2", KNOWN_AFTER_APPLY))),
        (IMMUTABLE, None, None, ["build", "PutImage"], (BUILT, tagged("create", None, KNOWN_AFTER_APPLY))),
    ],
)
def test_plans(repository: Repository, source: Image | None, tag: Image | None, operations: list[str], changes: tuple[Change, ...]) -> None:
    state = State(repository, source, tag)
    made = plan(DESIRED, state)
    assert ([step.operation for step in made.steps], made.changes) == (operations, changes)
    after = made.after(state)
    assert after.tagged == after.source == (source or NEW)


@pytest.mark.parametrize("source", [None, ONE])
def test_an_immutable_tag_is_not_moved(source: Image | None) -> None:
    with pytest.raises(Refused, match="tag: 'llama' is not allowed: image sha256:2 was built from other contents and has this tag"):
        plan(DESIRED, State(IMMUTABLE, source, TWO))
