# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of lifecycle scripts, and their digests."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.lifecycle_scripts.model import Desired, Place, Script
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.lifecycle_scripts.options import desired

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
PATH = "/mlfleet/hyperpod/abc123def456/lifecycle-scripts"
TEST = "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="
"""SHA-256 of ``test``."""


def given(**more: t.Any) -> dict[str, t.Any]:
    return {"state": "present", "cluster_arn": None, "bucket": "sagemaker-x", "prefix": "", "scripts": [], **more}


def script(name: str = "a", src: str | None = None, content: str | None = None) -> dict[str, t.Any]:
    return {"name": name, "src": src, "content": content}


@pytest.mark.parametrize(("prefix", "expected"), [("", ""), ("ml/src", "ml/src/"), ("/ml/src/", "ml/src/")])
def test_scripts_are_read_from_files_and_texts(tmp_path: Path, prefix: str, expected: str) -> None:
    (tmp_path / "a").write_text("test")
    scripts = [script("a", src=str(tmp_path / "a")), script("utils/b", content="test")]
    found = desired(given(prefix=prefix, scripts=scripts, cluster_arn=ARN))
    wanted = (Script("a", TEST, src=str(tmp_path / "a")), Script("utils/b", TEST, content="test"))
    assert found == Desired(place=Place("sagemaker-x", expected), scripts=wanted, path=PATH)
    assert found.digests == {"a": TEST, "utils/b": TEST}
    assert desired(given()).path == ""


def test_absent_needs_no_place() -> None:
    assert desired(given(state="absent", cluster_arn=ARN, bucket=None)) == Desired(present=False, path=PATH)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bucket": "S3"}, "bucket: 'S3' is not allowed"),
        ({"bucket": "a/b"}, "bucket: 'a/b' is not allowed"),
        ({"cluster_arn": "ml"}, "cluster_arn: 'ml' is not allowed"),
        ({"scripts": [script("a", content=""), script("a", content="")]}, "scripts.name: "),
        *(({"scripts": [script(name, content="")]}, f"scripts.name: {name!r} is not allowed") for name in ("", "/a", "a//b", "../a", "a/.", "a/")),
        ({"scripts": [script("a", src="/nowhere/a")]}, "scripts.src: '/nowhere/a' is not allowed: No such file or directory."),
    ],
)
def test_invalid_options_are_refused(options: dict[str, t.Any], message: str) -> None:
    with pytest.raises(Refused) as refused:
        desired(given(**options))
    assert str(refused.value).startswith(message)
