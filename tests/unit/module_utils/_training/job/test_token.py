# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tokens of Hugging Face: refused where others would see them, and in no message."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

from .described import desired

TOKEN = "hf_" + "s3cret" * 5


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({"hugging_face_token": "short"}, "hugging_face_token: a text of 5 characters is not allowed. Allowed: 8 to 512"),
        ({"hugging_face_token": f"{TOKEN} b"}, "hugging_face_token: a text of"),
        ({"hugging_face_token": TOKEN, "arguments": [f"--token={TOKEN}"]}, "arguments: contains hugging_face_token"),
        ({"hugging_face_token": TOKEN, "environment": {"A": TOKEN}}, "environment: contains hugging_face_token"),
        ({"environment": {"HF_TOKEN": TOKEN}}, "environment: 'HF_TOKEN' is not allowed: the option for the token keeps the token secret"),
        ({"environment": {"HF_TOKEN_PATH": "/x"}}, "environment: 'HF_TOKEN_PATH' is not allowed"),
    ],
)
def test_a_token_that_would_be_visible_is_refused_and_not_shown(given: dict[str, t.Any], option: str) -> None:
    with pytest.raises(Refused) as refused:
        desired(**given)
    assert str(refused.value).startswith(option) and TOKEN not in str(refused.value), refused.value
    assert TOKEN not in repr(desired(hugging_face_token=TOKEN))
