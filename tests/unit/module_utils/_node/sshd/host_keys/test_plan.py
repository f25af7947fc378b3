# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Host keys that are installed, replaced, announced, and left alone."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Secret
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.host_keys import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.host_keys.model import FileState, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.host_keys.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.host_keys.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import HOST_KEY_TYPES


def state_of(pairs, *types, mode=0o600, gid=0, ssh_keys_group=None):
    wanted = options.checked_pairs({key_type: pairs[key_type] for key_type in types}) if types else ()
    return State(
        private={key.type: FileState(Secret.of(key.private), mode, 0, gid) for key in wanted},
        public={key.type: FileState(Secret.of(pairs[key.type]["public"]), 0o644, 0, 0) for key in wanted},
        keys={key.type: key.public for key in wanted},
        ssh_keys_group=ssh_keys_group,
    )


def files_of(plan):
    return {file.path: file for step in plan.steps for file in step.arguments["files"]}


def test_missing_keys_are_created(pairs):
    wanted = options.checked_pairs({"ed25519": pairs["ed25519"], "rsa": pairs["rsa"]})
    state = state_of(pairs, "ed25519")
    made = plan(wanted, state)
    assert [(change.action, change.resource) for change in made.changes] == [("create", "rsa host key")]
    files = files_of(made)
    assert sorted(files) == ["/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_rsa_key.pub"]
    assert files["/etc/ssh/ssh_host_rsa_key"].mode == 0o600
    assert files["/etc/ssh/ssh_host_rsa_key.pub"].mode == 0o644
    after = made.after(state)
    assert set(after.keys) == {"ed25519", "rsa"}
    assert not plan(wanted, after)


def test_existing_keys_give_an_empty_plan(pairs):
    wanted = options.checked_pairs({"ed25519": pairs["ed25519"]})
    state = state_of(pairs, "ed25519", "rsa")
    assert not plan(wanted, state)
    assert [(key["type"], key["managed"]) for key in result(wanted, state)["host_keys"]] == [
        ("ed25519", True),
        ("rsa", False),
    ]


def announced(pairs):
    """A node that presents other keys and has the given ones as next keys."""
    found = state_of(pairs, "ed25519", "rsa")
    return State(
        private={"ed25519": found.private["rsa"], "ed25519_next": found.private["ed25519"]},
        public={"ed25519": found.public["rsa"], "ed25519_next": found.public["ed25519"]},
        keys={"ed25519": found.keys["rsa"], "ed25519_next": found.keys["ed25519"]},
        ssh_keys_group=None,
    )


def test_next_keys_are_installed_next_to_the_current_ones(pairs):
    current = options.checked_pairs({"ed25519": pairs["other"]})
    following = options.next_pairs({"ed25519": pairs["ed25519"], "rsa": None}, current)
    found = state_of({"ed25519": pairs["other"]}, "ed25519")
    made = plan((*current, *following), found, exact_next=True)
    assert [(change.action, change.resource) for change in made.changes] == [("create", "next ed25519 host key")]
    files = files_of(made)
    assert sorted(files) == ["/etc/ssh/ssh_host_ed25519_key_next", "/etc/ssh/ssh_host_ed25519_key_next.pub"]
    assert files["/etc/ssh/ssh_host_ed25519_key_next"].mode == 0o600
    described = result((*current, *following), made.after(found))["host_keys"]
    assert [(key["type"], key["next"], key["managed"]) for key in described] == [
        ("ed25519", False, True),
        ("ed25519", True, True),
    ]


@pytest.mark.parametrize("exact, actions", [(True, ["update", "delete"]), (False, ["update"])])
def test_a_promoted_key_is_removed_from_the_next_keys(pairs, exact, actions):
    wanted = options.checked_pairs({"ed25519": pairs["ed25519"]})
    state = announced(pairs)
    made = plan(wanted, state, exact_next=exact)
    assert [change.action for change in made.changes] == actions
    removed = [path for path, file in files_of(made).items() if file.content is None]
    assert removed == (["/etc/ssh/ssh_host_ed25519_key_next", "/etc/ssh/ssh_host_ed25519_key_next.pub"] if exact else [])
    assert ("ed25519_next" in made.after(state).keys) is not exact


@pytest.mark.parametrize(
    "found, group, expected",
    [
        ((0o600, 0), None, None),
        ((0o640, 990), 990, None),
        ((0o600, 0), 990, None),
        ((0o644, 0), None, (0o600, 0)),
        ((0o640, 5), 990, (0o640, 990)),
    ],
)
def test_mode_and_group_follow_the_distribution(pairs, found, group, expected):
    wanted = options.checked_pairs({"ed25519": pairs["ed25519"]})
    state = state_of(pairs, "ed25519", mode=found[0], gid=found[1], ssh_keys_group=group)
    files = files_of(plan(wanted, state))
    private = files.get("/etc/ssh/ssh_host_ed25519_key")
    assert (private and (private.mode, private.gid)) == expected


def test_no_key_text_in_plan_or_repr(pairs):
    wanted = options.checked_pairs({key_type: pairs[key_type] for key_type in HOST_KEY_TYPES})
    made = plan(wanted, state_of(pairs))
    shown = repr(made) + repr(wanted) + repr(made.diff()) + repr([change.to_result() for change in made.changes])
    for key in wanted:
        public = key.public.line.split()[1]
        for line in key.private.splitlines():
            # In an ECDSA key one line of the private file is a part of the public key.
            assert line not in shown or line in public
