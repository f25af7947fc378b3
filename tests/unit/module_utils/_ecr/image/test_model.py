# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.model import Image, Repository, Scan, State

ONE, TWO = (Image(digest, 1, "", Scan("complete")) for digest in ("sha256:1", "sha256:2"))
REPOSITORY = Repository("host/a")


@pytest.mark.parametrize(
    ("mutability", "exclusions", "immutable"),
    [
        ("MUTABLE", (), False),
        ("IMMUTABLE", (), True),
        ("IMMUTABLE_WITH_EXCLUSION", ("dev*",), False),
        ("IMMUTABLE_WITH_EXCLUSION", ("prod*",), True),
        ("MUTABLE_WITH_EXCLUSION", ("dev*",), True),
        ("MUTABLE_WITH_EXCLUSION", ("prod*",), False),
    ],
)
def test_immutable_tags(mutability: str, exclusions: tuple[str, ...], immutable: bool) -> None:
    assert Repository("host/a", mutability, exclusions).is_immutable("dev1") is immutable


@pytest.mark.parametrize(("source", "tagged", "expected"), [(None, None, False), (ONE, None, False), (None, ONE, False), (ONE, TWO, False), (ONE, ONE, True)])
def test_in_place(source: Image | None, tagged: Image | None, expected: bool) -> None:
    assert State(REPOSITORY, source, tagged).in_place is expected


def test_the_host_of_a_repository() -> None:
    assert Repository("host.example/a/b").host == "host.example"
