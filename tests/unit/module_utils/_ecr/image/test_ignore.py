# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.ignore import parsed


@pytest.mark.parametrize(
    ("text", "ignored", "kept"),
    [
        ("notes\n", ["notes", "notes/a"], ["a/notes", "notes2"]),
        ("/notes/\n", ["notes", "notes/a"], ["a/notes"]),
        ("./a/../b\n", ["b", "b/c"], ["a"]),
        ("*.bin\n", ["a.bin", ".bin"], ["a/b.bin", "a.bin2", "abin"]),
        ("**/*.bin\n", ["a.bin", "a/b/c.bin"], ["a/b.txt"]),
        ("a/**\n", ["a/b", "a/b/c"], ["a", "b"]),
        ("a/**/z\n", ["a/z", "a/b/c/z"], ["a/zz", "z"]),
        ("a?c\n", ["abc"], ["ac", "a/c"]),
        ("[ab].txt\n", ["a.txt", "b.txt"], ["c.txt"]),
        ("[^a].txt\n", ["b.txt"], ["a.txt"]),
        ("[[]x\n", ["[x"], ["x"]),
        ("a\\*b\n", ["a*b"], ["axb"]),
        ("*\n!keep\n", ["a", "b/c"], ["keep", "keep/a"]),
        ("*\n!a/keep\n", ["a", "a/b"], ["a/keep", "a/keep/c"]),
        ("!keep\n*\n", ["keep"], []),
        ("# notes\n\n  \n.\n", [], ["notes", "# notes"]),
        ("\ufeffnotes\r\n", ["notes"], ["a"]),
    ],
)
def test_paths(text: str, ignored: list[str], kept: list[str]) -> None:
    rules = parsed(text)
    assert [path for path in ignored if not rules(path)] == []
    assert [path for path in kept if rules(path)] == []
    assert rules.includes_again is ("!" in text)


def test_a_pattern_that_is_not_valid_is_refused() -> None:
    with pytest.raises(Refused, match=r"\.dockerignore: 'a\[b' is not allowed"):
        parsed("a[b\n")
