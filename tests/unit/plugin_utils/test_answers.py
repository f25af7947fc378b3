# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node's answer must have the documented form of its module; otherwise it is an error of the node."""

from __future__ import annotations

import copy
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import answers

KEY = {"type": "ssh-ed25519", "fingerprint": "SHA256:x", "comment": "", "options": "", "expires": None, "place": "home"}
ACCOUNT = {"name": "alice", "uid": 20001, "closed": False, "password_login": False, "authorized_keys": [KEY], "last_login": None}
ANSWER: dict[str, t.Any] = {"accounts": [ACCOUNT], "history_since": None, "unread": []}
WRONG: list[tuple[tuple[t.Any, ...], t.Any, str]] = [
    ((), 7, "answer is not a dictionary"),
    (("accounts",), {}, "answer.accounts is not a list"),
    (("accounts", 0), "x", "answer.accounts[0] is not a dictionary"),
    (("accounts", 0, "uid"), "0", "answer.accounts[0].uid has a wrong type"),
    (("accounts", 0, "uid"), True, "answer.accounts[0].uid has a wrong type"),
    (("accounts", 0, "name"), ["x"], "answer.accounts[0].name has a wrong type"),
    (("accounts", 0, "last_login"), {"time": 7}, "answer.accounts[0].last_login has a wrong type"),
    (("accounts", 0, "authorized_keys", 0, "expires"), 7, "answer.accounts[0].authorized_keys[0].expires has a wrong type"),
    (("unread",), [None], "answer.unread[0] has a wrong type"),
    (("history_since",), "yesterday", "answer.history_since has a wrong type"),
    (("history_since",), "2026-01-01T00:00:00", "answer.history_since has a wrong type"),
    (("history_since",), 7, "answer.history_since has a wrong type"),
]


@pytest.mark.parametrize("last_login", [None, {"time": "2026-01-01T00:00:00Z"}])
def test_documented_answers_are_accepted(last_login: t.Any) -> None:
    answer = {**ANSWER, "accounts": [{**ACCOUNT, "last_login": last_login}], "more": 1}
    assert answers.checked(answer, answers.LOGIN_INFO) is answer


@pytest.mark.parametrize(("place", "value", "problem"), WRONG)
def test_other_answers_are_refused_with_the_path(place: tuple[t.Any, ...], value: t.Any, problem: str) -> None:
    whole: dict[str, t.Any] = {"": copy.deepcopy(ANSWER)}
    inner: t.Any = whole
    *path, last = ("", *place)
    for each in path:
        inner = inner[each]
    inner[last] = value
    with pytest.raises(answers.WrongForm) as caught:
        answers.checked(whole[""], answers.LOGIN_INFO)
    assert str(caught.value).endswith(problem)


@pytest.mark.parametrize("name", ANSWER)
def test_a_missing_field_is_refused(name: str) -> None:
    with pytest.raises(answers.WrongForm, match=f"answer.{name} is missing"):
        answers.checked({each: value for each, value in ANSWER.items() if each != name}, answers.LOGIN_INFO)
