# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps from the state of a node to the declaration."""

from __future__ import annotations

import dataclasses

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.model import (
    Account,
    Desired,
    Home,
    Leftovers,
    LocalGroup,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.records import Edit
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.result import accounts_of, waiting
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.files import FileState
from ansible_collections.mlfleet.hyperpod.plugins.modules.accounts import SPEC

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAG u6@x"
SHOWN = "ssh-ed25519 SHA256:qNLhplipcgZ6ue5cN1G9xVSFZGsotfSWIFlEIsT348U u6@x"
HEADER = "# Managed by mlfleet.hyperpod.accounts; changes made here are lost.\n"
ALICE = {"name": "alice", "uid": 5001}
RECORD = Account("alice", 5001, 5001, "", "/fsx/alice", "/bin/bash", "none")
NODE = State(
    now=1_800_000_000,
    users={"alice": RECORD},
    groups={"alice": LocalGroup("alice", 5001, ()), "sudo": LocalGroup("sudo", 27, ()), "a": LocalGroup("a", 7000, ())},
    authorized_keys_dir=("folder", 0, 0o755),
)


def declared(**params: object) -> Desired:
    checked = ArgumentSpecValidator(SPEC).validate(params)
    assert not checked.error_messages
    desired = options.desired(checked.validated_parameters)
    assert desired.problems == ()
    return desired


def node(**fields: object) -> State:
    return dataclasses.replace(NODE, **fields)


def changes_of(state: State, **params: object) -> list[tuple]:
    made = plan(declared(**params), state)
    return [(change.action, change.resource, change.field, change.before, change.after) for change in made.changes]


def test_an_unchanged_declaration_gives_an_empty_plan() -> None:
    assert not plan(declared(users=[ALICE], groups=[{"name": "a", "gid": 7000}]), NODE)


def test_a_new_user_gets_a_group_keys_rules_and_a_home() -> None:
    state = node(
        users={},
        groups={"sudo": LocalGroup("sudo", 27, ())},
        authorized_keys_dir=None,
        homes={"alice": Home("missing", None, "/fsx", "user")},
    )
    user = {**ALICE, "groups": ["sudo"], "authorized_keys": [{"key": KEY}], "sudo": "ALL=(ALL) ALL"}
    made = plan(declared(users=[user], create_homes=True), state)
    assert [step.operation for step in made.steps] == [
        "edit_accounts",
        "make_keys_dir",
        "write_file",
        "write_file",
        "make_home",
    ]
    assert made.steps[0].arguments["edits"] == (
        Edit("gshadow", "alice", {}),
        Edit("group", "alice", {"gid": "5001"}),
        Edit("shadow", "alice", {"password": "*", "changed": "20833", "expire": ""}),
        Edit(
            "passwd",
            "alice",
            {"uid": "5001", "gid": "5001", "comment": "", "home": "/fsx/alice", "shell": "/bin/bash"},
        ),
        Edit("gshadow", "sudo", {}, add_members=("alice",)),
        Edit("group", "sudo", {}, add_members=("alice",)),
    )
    assert made.steps[2].arguments == {
        "path": "/etc/ssh/authorized_keys.d/alice",
        "text": f"{HEADER}{KEY}\n",
        "mode": 0o644,
    }
    assert made.steps[3].arguments["text"] == f"{HEADER}alice ALL=(ALL) ALL\n"


@pytest.mark.parametrize(
    "record, fields, expected",
    [
        ({"shell": "/bin/sh"}, {}, [("shell", "/bin/sh", "/bin/bash")]),
        ({"comment": "Old"}, {}, []),
        ({"comment": "Old"}, {"comment": ""}, [("comment", "Old", "")]),
        ({"home": "/home/alice"}, {}, [("home", "/home/alice", "/fsx/alice")]),
        ({"password": "locked"}, {}, [("password", "locked", "none")]),
        ({"password": "missing"}, {}, [("password", "missing", "none")]),
        ({"password": "empty"}, {}, [("password", "empty", "none")]),
        ({"password": "hash"}, {}, []),
        ({"expires": "1"}, {}, [("expired", True, False)]),
        ({"expires": "30000"}, {}, []),
        ({}, {"groups": ["sudo"]}, [("groups", ["a"], ["sudo"])]),
        ({}, {"groups": []}, [("groups", ["a"], [])]),
        ({}, {"groups": ["a", "alice"]}, []),
        ({}, {}, []),
    ],
)
def test_an_existing_user_changes_only_where_declared(record: dict, fields: dict, expected: list) -> None:
    member = {**NODE.groups, "a": LocalGroup("a", 7000, ("alice", "other"))}
    state = node(users={"alice": dataclasses.replace(RECORD, **record)}, groups=member)
    changes = changes_of(state, users=[{**ALICE, **fields}])
    assert changes == [("update", "user alice", field, before, after) for field, before, after in expected]


FILE = FileState(f"{HEADER}{KEY}\n", 0, 0, 0o644)


@pytest.mark.parametrize(
    "found, keys, expected",
    [
        (None, None, []),
        (None, [], []),
        (None, [{"key": KEY}], [("create", "keys of alice", None, None, [SHOWN])]),
        (FILE, [{"key": KEY}], []),
        (FILE, None, []),
        (FILE, [], [("delete", "keys of alice", None, [SHOWN], None)]),
        (FILE, [{"key": KEY, "expires": "2020-01-01"}], [("delete", "keys of alice", None, [SHOWN], None)]),
        (
            FILE,
            [{"key": KEY, "options": "restrict"}],
            [("update", "keys of alice", None, [SHOWN], [f"{SHOWN} restrict"])],
        ),
        (
            dataclasses.replace(FILE, text=KEY),
            [{"key": KEY}],
            [("update", "keys of alice", None, ["(other text)", SHOWN], [SHOWN])],
        ),
        (
            dataclasses.replace(FILE, mode=0o666),
            [{"key": KEY}],
            [("update", "keys of alice", "access", "0:0 0666", "0:0 0644")],
        ),
        (
            dataclasses.replace(FILE, uid=5001),
            [{"key": KEY}],
            [("update", "keys of alice", "access", "5001:0 0644", "0:0 0644")],
        ),
    ],
)
def test_the_keys_file_is_written_only_if_it_differs(
    found: FileState | None, keys: list | None, expected: list
) -> None:
    state = node(keys={} if found is None else {"alice": found})
    assert changes_of(state, users=[{**ALICE, "authorized_keys": keys}]) == expected


@pytest.mark.parametrize("found", [("folder", 0, 0o777), ("folder", 0, 0o775), ("folder", 5001, 0o755)])
def test_files_in_a_folder_open_to_others_are_not_trusted(found: tuple[str, int, int]) -> None:
    """Any user could exchange files of root by renaming them, and sshd accepts these once the folder is closed."""
    bob = {"name": "bob", "uid": 5002}
    users = {"alice": RECORD, "bob": Account("bob", 5002, 5002, "", "/fsx/bob", "/bin/bash", "none")}
    groups = {**NODE.groups, "bob": LocalGroup("bob", 5002, ())}
    names = ("alice", "bob", "root")
    state = node(users=users, groups=groups, authorized_keys_dir=found, key_files=names, keys={"alice": FILE, "bob": FILE})
    made = plan(declared(users=[{**ALICE, "authorized_keys": [{"key": KEY}]}, bob]), state)
    assert [(each.action, each.resource, each.before) for each in made.changes[1:]] == [
        ("delete", "keys in /etc/ssh/authorized_keys.d", ["bob", "root"]),
        ("update", "keys of alice", "0:0 0644"),
    ]
    assert made.steps[0].arguments["keep"] == ["alice"] and made.notes == ()
    after = made.after(state)
    assert (after.key_files, set(after.keys), after.keys_dir_open) == (("alice",), {"alice"}, False)


@pytest.mark.parametrize("kind, keys, expected", [
    ("link", [{"key": KEY}], ["update"]),
    ("special file", [{"key": KEY}], ["update"]),
    ("empty folder", [{"key": KEY}], ["update"]),
    ("link", [], ["delete"]),
    ("folder", [{"key": KEY}], []),
    ("folder", [], []),
    ("folder", None, []),
])
def test_other_entries_than_a_keys_file_are_replaced(kind: str, keys: list | None, expected: list[str]) -> None:
    state = node(keys={"alice": FileState("", 0, 0, 0o777, kind)})
    made = plan(declared(users=[{**ALICE, "authorized_keys": keys}]), state)
    assert sorted({each.action for each in made.changes}) == expected
    waits = [each.subject for each in made.notes if getattr(each, "code", "") == "access-file-waits"]
    assert waits == (["/etc/ssh/authorized_keys.d/alice"] if kind == "folder" and keys is not None else [])


def test_rights_that_are_no_longer_declared_stay_and_are_noted() -> None:
    state = node(keys={"alice": FILE}, sudoers={"alice": FileState("x", 0, 0, 0o440)})
    made = plan(declared(users=[ALICE]), state)
    assert not made
    assert tuple(map(str, made.notes)) == (
        "authorized_keys is not declared for alice, so /etc/ssh/authorized_keys.d/alice stays. An empty list removes the file.",
        "sudo is not declared for alice, so /etc/sudoers.d/mlfleet-alice stays. An empty list removes the file.",
    )


@pytest.mark.parametrize(
    "home, steps, waits",
    [
        (None, 0, None),
        (Home("folder", 5001), 0, None),
        (Home("missing", None, "/fsx", "user"), 1, None),
        (Home("missing", None, "/fsx", "root"), 1, None),
        (Home("missing", None, "/fsx", None), 0, "neither the user nor root may write to /fsx"),
        (Home("folder", 0), 0, "belongs to UID 0 instead of 5001"),
        (Home("unmounted"), 0, "is not mounted"),
        (Home("silent"), 0, "does not respond"),
    ],
)
def test_a_home_is_created_or_waits_with_a_reason(home: Home | None, steps: int, waits: str | None) -> None:
    state = node(homes={} if home is None else {"alice": home})
    desired = declared(users=[ALICE], create_homes=True)
    made = plan(desired, state)
    assert [step.operation for step in made.steps] == ["make_home"] * steps
    sentences = waiting(desired, state)
    assert sentences == [] if waits is None else len(sentences) == 1 and waits in sentences[0].text
    assert waiting(desired, made.after(state)) == sentences


GONE = {"name": "alice", "state": "absent"}


def test_a_removed_user_is_locked_first_and_deleted_last() -> None:
    state = node(
        groups={**NODE.groups, "a": LocalGroup("a", 7000, ("alice", "bob"))},
        keys={"alice": FILE},
        sudoers={"alice": FileState("x", 0, 0, 0o440)},
        leftovers={"alice": Leftovers((10, 11), ("/var/spool/cron/alice",))},
        leaving_homes={"alice": "/home/alice"},
    )
    made = plan(declared(users=[GONE], remove_home=True), state)
    assert [step.operation for step in made.steps] == [
        "edit_accounts",
        "remove_file",
        "remove_file",
        "remove_file",
        "end_processes",
        "edit_accounts",
        "remove_home",
    ]
    assert made.steps[0].arguments["edits"] == (Edit("shadow", "alice", {"password": "!", "expire": "1"}),)
    assert made.steps[5].arguments["edits"] == (
        Edit("gshadow", "a", {}, remove_members=("alice",)),
        Edit("group", "a", {}, remove_members=("alice",)),
        Edit("shadow", "alice"),
        Edit("passwd", "alice"),
        Edit("gshadow", "alice"),
        Edit("group", "alice"),
    )
    result = accounts_of(declared(users=[GONE], groups=[{"name": "a", "gid": 7000}]), made.after(state))
    assert result["users"] == [{"name": "alice", "state": "absent"}]
    assert result["groups"] == [{"name": "a", "state": "present", "gid": 7000, "members": ["bob"]}]
    assert not plan(declared(users=[GONE], remove_home=True), made.after(state))


def test_an_absent_group_is_deleted_if_it_exists_and_is_unused() -> None:
    names = [{"name": name, "state": "absent"} for name in ("a", "never-there")]
    assert changes_of(NODE, groups=names) == [("delete", "group a", None, {"gid": 7000}, None)]


def test_a_home_with_a_mount_in_it_stays_and_is_noted() -> None:
    state = node(leaving_homes={"alice": "/home/alice"}, leaving_mounts={"alice": "/home/alice/\x1bdata"})
    desired = declared(users=[GONE], remove_home=True)
    made = plan(desired, state)
    assert "remove_home" not in [step.operation for step in made.steps]
    assert tuple(map(str, made.notes)) == ("The home /home/alice of alice was not removed, because /home/alice/?data is mounted in it.",)
    assert not plan(desired, made.after(state)).notes


def test_a_user_who_was_removed_already_needs_no_step() -> None:
    assert changes_of(node(users={}, groups={}), users=[GONE]) == []


def test_a_removal_that_was_interrupted_after_the_lock_continues() -> None:
    locked = dataclasses.replace(RECORD, password="locked", expires="1")
    assert [change[:2] for change in changes_of(node(users={"alice": locked}), users=[GONE])] == [
        ("delete", "user alice"),
        ("delete", "group alice"),
    ]


def test_leftovers_of_an_account_without_a_record_are_removed() -> None:
    state = node(users={}, groups={}, keys={"alice": FILE}, leftovers={"alice": Leftovers(files=("/var/spool/cron/alice",))})
    assert [change[:2] for change in changes_of(state, users=[GONE])] == [
        ("delete", "keys of alice"),
        ("delete", "scheduled work of alice"),
    ]


@pytest.mark.parametrize(
    "others, extra, removed",
    [
        ({}, {}, True),
        ({"bob": Account("bob", 5002, 5001, "", "/fsx/bob", "/bin/bash", "none")}, {}, False),
        ({}, {"groups": [{"name": "alice", "gid": 5001}]}, False),
    ],
)
def test_the_primary_group_is_deleted_unless_another_user_needs_it(others: dict, extra: dict, removed: bool) -> None:
    changes = changes_of(node(users={"alice": RECORD, **others}), users=[GONE], **extra)
    assert (("delete", "group alice") in [change[:2] for change in changes]) is removed


def test_missing_shadow_files_are_not_edited() -> None:
    state = node(users={}, groups={}, has_shadow=False, has_gshadow=False)
    (step,) = plan(declared(users=[ALICE]), state).steps
    assert {edit.file for edit in step.arguments["edits"]} == {"passwd", "group"}


def test_the_predicted_result_equals_the_declaration() -> None:
    user = {**ALICE, "groups": ["a"], "comment": "A", "authorized_keys": [{"key": KEY}], "sudo": ["ALL=(ALL) ALL"]}
    desired = declared(users=[user], groups=[{"name": "a", "gid": 7000}])
    state = node(users={}, groups={})
    after = plan(desired, state).after(state)
    result = accounts_of(desired, after)
    assert result["users"][0]["groups"] == ["a"]
    assert result["users"][0]["sudo"] == ["ALL=(ALL) ALL"]
    assert result["users"][0]["authorized_keys"][0]["comment"] == "u6@x"
    assert result["groups"][0] == {"name": "a", "state": "present", "gid": 7000, "members": ["alice"]}
    assert not plan(desired, after)


def test_the_readiness_gate_no_longer_expects_a_removed_user() -> None:
    state = node(gate_expects=("alice", "bob"))
    made = plan(declared(users=[GONE]), state)
    operations = [step.operation for step in made.steps]
    last_edit = len(operations) - 1 - operations[::-1].index("edit_accounts")
    assert operations.index("expect_no_more") < last_edit
    assert ("update", "file /var/lib/mlfleet-hyperpod/ready.json", "users", ["alice", "bob"], ["bob"]) in changes_of(state, users=[GONE])
    assert changes_of(node(users={}, groups={}, gate_expects=("alice",)), users=[GONE]) != []
    assert made.after(state).gate_expects == ("bob",)
