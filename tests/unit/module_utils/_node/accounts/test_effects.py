# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The predicted state after a step equals the observed state."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import effects
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.local import accounts_in, groups_in
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.model import Home, Leftovers, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.records import Edit, apply_edits, records

TEXTS = {
    "passwd": "root:x:0:0:root:/root:/bin/bash\nbob:x:5002:5002:Bob:/fsx/bob:/bin/sh\nal:x:5003:5003::/fsx/al:/bin/sh\n",
    "shadow": "root:*:1:0:99999:7:::\nbob:!:1:0:99999:7::1:\n",
    "group": "root:x:0:\nbob:x:5002:\nteam:x:7000:bob,al,carol\n",
}
NEW = {"uid": "5001", "gid": "5001", "comment": "A", "home": "/fsx/alice", "shell": "/bin/bash"}


def seen(texts: t.Mapping[str, str]) -> State:
    found = {file: records(file, text) for file, text in texts.items()}
    return State(0, accounts_in(found["passwd"], found["shadow"]), groups_in(found["group"]))


@pytest.mark.parametrize(
    "edits",
    [
        [],
        [Edit("shadow", "alice", {"password": "*", "changed": "9", "expire": ""}), Edit("passwd", "alice", NEW)],
        [Edit("passwd", "alice", NEW)],
        [Edit("passwd", "bob", {"comment": "", "shell": "/bin/bash"})],
        [Edit("shadow", "bob", {"password": "*", "expire": ""})],
        [Edit("shadow", "al", {"password": "!", "expire": "1"})],
        [Edit("gshadow", "new", {}), Edit("group", "new", {"gid": "7001"}), Edit("group", "new", {}, add_members=("bob",))],
        [Edit("group", "team", {}, add_members=("bob", "alice"), remove_members=("carol",))],
        [Edit("shadow", "bob"), Edit("passwd", "bob"), Edit("group", "bob"), Edit("group", "team", {}, remove_members=("bob",))],
        [Edit("passwd", "missing"), Edit("group", "missing")],
    ],
)
def test_edits_predict_the_accounts_that_are_read_afterwards(edits: list[Edit]) -> None:
    after = {file: apply_edits(file, text, edits) for file, text in TEXTS.items()}
    assert effects.edited(edits)(seen(TEXTS)) == seen(after)


def test_the_home_of_a_removed_account_is_not_removed_again() -> None:
    state = dataclasses.replace(seen(TEXTS), leaving_homes={"bob": "/h/bob", "al": "/h/al"}, leaving_mounts={"bob": "/h/bob/m"})
    after = effects.edited([Edit("passwd", "bob")])(state)
    assert (after.leaving_homes, after.leaving_mounts) == ({"al": "/h/al"}, {})


def test_an_entry_of_a_table_is_added_and_removed() -> None:
    made = effects.in_table("homes", "al", Home("folder", 5003))(seen(TEXTS))
    assert made.homes == {"al": Home("folder", 5003)}
    assert effects.in_table("homes", "al", None)(made) == effects.in_table("homes", "bob", None)(seen(TEXTS)) == seen(TEXTS)


def test_leftovers_are_cleared_by_kind() -> None:
    state = dataclasses.replace(seen(TEXTS), leftovers={"bob": Leftovers((10,), ("/cron/bob",), jobs=(11,))})
    after = effects.without_leftovers("bob", "processes", "files")(state)
    assert after.leftovers == {"bob": Leftovers(jobs=(11,))}
    assert effects.without_leftovers("al", "files")(state) == state
