# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each cause has a known code, a sentence and a next step."""

from __future__ import annotations

import re

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.causes import CODES, WORDS, cause


@pytest.mark.parametrize("kind", WORDS)
def test_a_cause_has_a_sentence_and_a_next_step(kind: str) -> None:
    code, text, step = WORDS[kind]
    names = re.findall(r"{(\w+)}", text + step)
    found = cause(kind, **{name: f"<{name}\n..>." for name in names})
    assert found.code == code and code in CODES
    assert found.text.endswith(".") and found.next_step.endswith(".") and ".." not in found.text.replace("..>", "")
    assert found.text.isprintable() and found.next_step.isprintable()


def test_each_code_has_a_text() -> None:
    assert {code for code, _text, _step in WORDS.values()} == set(CODES)
