# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trust records and their plan, known_hosts, and the answer of a node."""

from __future__ import annotations

import base64
import dataclasses
import json
import os
import stat
import subprocess
import threading
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Node
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import known_hosts, node_script, options, plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access.model import (
    RECORD_LIMIT,
    Operations,
    Record,
    differing,
    parse_keys,
    shared_keys,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access.record import Recorded
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import PublicKey


def key(number: int, kind: str = "ssh-ed25519", size: int = 32) -> PublicKey:
    name = kind.encode()
    blob = base64.b64encode(len(name).to_bytes(4, "big") + name + bytes([number]) * size).decode()
    return PublicKey.parse(f"{kind} {blob} a comment")


OPERATIONS = Operations(user="hyperpod-ops", key=key(9))
NODE = Node("i-1", "login-group", "login", "ml.m5.xlarge", "Running", "", "2026-11-21T00:00:00.000Z", "")
RECORD = Record(NODE.triple, (key(1),), "hyperpod-ops", key(9).fingerprint, "2026-11-21T00:00:00Z")
LOGIN = plan.Desired(include="login")


def recorded(*records: Record, shared: tuple[PublicKey, ...] = (), names: tuple[str, ...] = ()) -> Recorded:
    by_id = {record.triple[0]: record for record in records}
    return Recorded(records=by_id, shared=shared, names=frozenset(by_id) | frozenset(names))


def only(nodes: list[Node], known: Recorded, desired: plan.Desired = LOGIN) -> list[tuple[str, str]]:
    made = plan.make_plan(nodes, recorded=known, desired=desired, operations=OPERATIONS)
    return [(each.node.instance_id, each.action) for each in made.nodes]


@pytest.mark.parametrize(
    "node, record, desired, action",
    [
        (NODE, RECORD, LOGIN, plan.READY),
        (NODE, None, LOGIN, plan.GAIN),
        (dataclasses.replace(NODE, last_software_update_time="2026-11-22"), RECORD, LOGIN, plan.GAIN),
        (dataclasses.replace(NODE, launch_time="2026-11-22"), RECORD, LOGIN, plan.GAIN),
        (NODE, dataclasses.replace(RECORD, operations_key="SHA256:other"), LOGIN, plan.GAIN),
        (NODE, dataclasses.replace(RECORD, operations_user="ubuntu"), LOGIN, plan.GAIN),
        (NODE, dataclasses.replace(RECORD, host_keys=()), LOGIN, plan.GAIN),
        (NODE, RECORD, plan.Desired(include="login", recheck=frozenset({"i-1"})), plan.RECHECK),
        (dataclasses.replace(NODE, status="SystemUpdating"), RECORD, LOGIN, plan.PENDING),
        (dataclasses.replace(NODE, status="Pending"), None, LOGIN, plan.PENDING),
    ],
)
def test_the_action_depends_on_the_record(node: Node, record: Record | None, desired: plan.Desired, action: str) -> None:
    assert only([node], recorded(*([record] if record else [])), desired) == [("i-1", action)]


def test_the_message_of_aws_about_a_node_is_printable() -> None:
    sick = dataclasses.replace(NODE, status="Failure", message="lifecycle script: \x1b[2J\u202eno")
    made = plan.make_plan([sick], recorded=recorded(RECORD), desired=LOGIN, operations=OPERATIONS)
    assert made.nodes[0].reason == "the node is Failure (lifecycle script: ?[2J?no)"


def test_only_a_new_disk_may_have_new_host_keys() -> None:
    updated = dataclasses.replace(NODE, last_software_update_time="2026-11-22")
    made = plan.make_plan([updated], recorded=recorded(RECORD), desired=LOGIN, operations=OPERATIONS)
    assert made.nodes[0].accepted is None
    rekeyed = dataclasses.replace(RECORD, operations_key="SHA256:other")
    made = plan.make_plan([NODE], recorded=recorded(rekeyed), desired=LOGIN, operations=OPERATIONS)
    assert made.nodes[0].accepted == (key(1),)


MARK, OTHER_MARK = "a" * 32, "b" * 32
MARKED = dataclasses.replace(RECORD, mark=MARK, configured=True)


def test_new_times_do_not_replace_the_keys_of_a_disk_with_a_mark() -> None:
    """The session identifies the disk. Until then the recorded keys count, and only for the recorded mark."""
    updated = dataclasses.replace(NODE, last_software_update_time="2026-11-22")
    made = plan.make_plan([updated], recorded=recorded(MARKED), desired=LOGIN, operations=OPERATIONS)
    assert made.nodes[0] == plan.NodePlan(
        updated, plan.GAIN, plan.NEW_TIMES, (key(1),), (key(1),), configured=True, mark=MARK, announced=True
    )


def test_a_mark_is_part_of_the_record_and_an_invalid_one_counts_as_none() -> None:
    assert Record.from_json(MARKED.to_json()) == MARKED
    for invalid in ("", MARK + "0", MARK.upper(), MARK + "\n", 7, None, [MARK]):
        data = {**json.loads(MARKED.to_json()), "mark": invalid}
        assert Record.from_json(json.dumps(data)) == dataclasses.replace(MARKED, mark="")
    old = json.loads(MARKED.to_json())
    del old["mark"]
    assert Record.from_json(json.dumps(old)) == dataclasses.replace(MARKED, mark="")


COMPUTE = dataclasses.replace(NODE, instance_id="i-2", group="worker", node_type="compute")
UNTYPED = dataclasses.replace(NODE, instance_id="i-3", group="other", node_type=None)
KNOWN = dataclasses.replace(COMPUTE, instance_id="i-4")


@pytest.mark.parametrize(
    "desired, ids",
    [
        (LOGIN, ["i-1"]),
        (plan.Desired(include="new"), ["i-1", "i-2", "i-3"]),
        (plan.Desired(include="all"), ["i-1", "i-2", "i-3", "i-4"]),
        (plan.Desired(include="all", groups=frozenset({"worker"})), ["i-2", "i-4"]),
        (plan.Desired(include="all", instance_ids=frozenset({"i-3"})), ["i-3"]),
    ],
)
def test_the_option_include_selects_the_nodes(desired: plan.Desired, ids: list[str]) -> None:
    known = recorded(dataclasses.replace(RECORD, triple=KNOWN.triple, configured=True))
    assert sorted(each for each, action in only([NODE, COMPUTE, UNTYPED, KNOWN], known, desired)) == ids


def test_a_node_that_is_not_configured_is_included_as_new() -> None:
    known = recorded(dataclasses.replace(RECORD, triple=KNOWN.triple))
    assert "i-4" in [each for each, action in only([KNOWN], known, plan.Desired(include="new"))]


def test_the_record_has_whether_a_node_is_configured() -> None:
    record = dataclasses.replace(RECORD, configured=True)
    assert Record.from_json(record.to_json()) == record
    old = json.loads(RECORD.to_json())
    del old["configured"]
    assert Record.from_json(json.dumps(old)) == RECORD


def test_records_of_removed_nodes_are_stale() -> None:
    made = plan.make_plan([NODE], recorded=recorded(RECORD, names=("i-8",)), desired=LOGIN, operations=OPERATIONS)
    assert made.stale == ("i-8",)


def test_shared_keys_are_accepted_only_from_login_nodes() -> None:
    known = recorded(RECORD, dataclasses.replace(RECORD, triple=COMPUTE.triple), shared=(key(7),))
    assert plan.accepted_keys(NODE, RECORD, known) == (key(1), key(7))
    assert plan.accepted_keys(COMPUTE, RECORD, known) == (key(1),)


RSA = key(3, "ssh-rsa")


@pytest.mark.parametrize(
    "seen, accepted, bad",
    [
        ((key(1),), (key(1), RSA), ()),
        ((key(1), RSA), (key(1),), ()),
        ((key(2),), (key(1),), (key(2),)),
        ((key(2), RSA), (key(1), RSA), (key(2),)),
        ((RSA,), (key(1),), (RSA,)),
        ((key(7),), (key(1), key(7)), ()),
    ],
)
def test_keys_of_a_recorded_type_must_not_differ(
    seen: tuple[PublicKey, ...], accepted: tuple[PublicKey, ...], bad: tuple[PublicKey, ...]
) -> None:
    assert differing(seen, accepted) == bad


def test_a_record_is_read_back_within_its_size_limit() -> None:
    assert Record.from_json(RECORD.to_json()) == RECORD
    large = dataclasses.replace(RECORD, host_keys=(key(1), key(3, "ssh-rsa", size=4000)))
    assert len(large.to_json()) <= RECORD_LIMIT
    again = Record.from_json(large.to_json())
    assert again is not None and again.host_keys == (key(1),)


@pytest.mark.parametrize("text", ["", "{}", "[]", "nonsense", '{"triple": ["i-1"], "host_keys": []}'])
def test_an_unreadable_record_is_no_record(text: str) -> None:
    assert Record.from_json(text) is None


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"version": 1, "keys": {"ed25519": {"public": f"{key(1)} shared"}, "rsa": {"public": str(RSA)}}}),
        json.dumps({"ed25519": str(key(1)), "rsa": str(RSA)}),
        f"{key(1)}\n{RSA}\n",
    ],
)
def test_shared_keys_are_read(text: str) -> None:
    assert shared_keys(text) == (key(1), RSA)


def test_a_parameter_without_shared_keys_is_refused() -> None:
    with pytest.raises(Refused, match="contains no public key"):
        shared_keys("{}")


@pytest.mark.parametrize(
    "user, line, option",
    [
        ("root", str(key(9)), "operations_user"),
        ("Ops", str(key(9)), "operations_user"),
        ("ops;rm", str(key(9)), "operations_user"),
        ("ops", "ssh-ed25519", "public_key"),
        ("ops", "ssh-ed25519 AAAA", "public_key"),
        ("ops", f"{key(9)}\n{key(8)}", "public_key"),
        ("ops", "", "public_key"),
        ("ops", "-----BEGIN OPENSSH PRIVATE KEY-----", "public_key"),
    ],
)
def test_invalid_accounts_and_keys_are_refused(user: str, line: str, option: str) -> None:
    with pytest.raises(Refused, match=f"^{option}: .* is not allowed"):
        options.operations({"operations_user": user, "public_key": line})


def test_only_the_clusters_own_lines_are_replaced() -> None:
    before = "i-1.aaa ssh-ed25519 OLD\ni-9.bbb ssh-ed25519 OTHER\ngithub.com ssh-ed25519 X\n"
    after = known_hosts.merged(before, "aaa", ["i-2.aaa ssh-ed25519 NEW"])
    assert after.splitlines() == ["github.com ssh-ed25519 X", "i-2.aaa ssh-ed25519 NEW", "i-9.bbb ssh-ed25519 OTHER"]
    assert known_hosts.merged(after, "aaa", ["i-2.aaa ssh-ed25519 NEW"]) == after


def test_lines_of_others_are_kept_whole() -> None:
    odd = "i-9.bbb ssh-ed25519 OTHER a\x0cb\u2028i-1.aaa ssh-ed25519 X\n"
    assert known_hosts.merged(odd, "aaa", []) == odd


def test_concurrent_writes_of_clusters_lose_no_line(tmp_path: Path) -> None:
    state = tmp_path / "state"
    clusters = [f"cluster{number}" for number in range(20)]
    threads = [
        threading.Thread(target=known_hosts.write_known_hosts, args=(str(state), name, [f"i-1.{name} ssh-rsa K"]))
        for name in clusters
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    path = state / "known_hosts"
    assert path.read_text().splitlines() == sorted(f"i-1.{name} ssh-rsa K" for name in clusters)
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(state.stat().st_mode)) == (0o600, 0o700)
    assert not [name for name in os.listdir(state) if name.startswith(".new-")]


def test_the_wrapper_accepts_odd_paths(tmp_path: Path) -> None:
    script = tmp_path / "a 'b" / "proxy.py"
    script.parent.mkdir()
    script.write_text("import sys; print(sys.argv[1:])")
    wrapper = known_hosts.write_wrapper(str(tmp_path / "state"), python="/usr/bin/env", script=f"{script}")
    assert Path(wrapper).read_text().endswith('"$@"\n')
    done = subprocess.run(["sh", "-n", wrapper], check=False)
    assert done.returncode == 0 and stat.S_IMODE(os.stat(wrapper).st_mode) == 0o700


GOOD = f"hostkey {key(1)}\nhostkey {RSA}\nchanged account ops\nmarked {'a' * 32}\naccount ops:*:997:997::/var/lib/ops:/bin/bash\ndone\n"


@pytest.mark.parametrize(
    "text, keys, mismatch, problem",
    [
        (GOOD, (key(1), RSA), False, ""),
        (f"hostkey {key(1)}\nmismatch ssh-ed25519\n", (key(1),), True, ""),
        ("error sshd has no host keys yet\n", (), False, "sshd has no host keys yet"),
        (f"hostkey {key(1)}\nsh: line 9: useradd: not found\n", (key(1),), False, "the script did not finish"),
        ("", (), False, "the script did not finish: no output"),
        ("done\n", (), False, "the script did not finish"),
    ],
)
def test_the_answer_of_a_node_is_parsed(text: str, keys: tuple[PublicKey, ...], mismatch: bool, problem: str) -> None:
    answer = node_script.parse_answer(text)
    assert (answer.host_keys, answer.mismatch) == (keys, mismatch)
    assert answer.problem.startswith(problem) and bool(answer.problem) == bool(problem)


def test_the_problem_of_a_node_is_one_printable_line_and_its_mark_is_validated() -> None:
    answer = node_script.parse_answer("error \x1b[2Jgone\u2028done\rdone\u202e\n")
    assert answer.problem == "?[2Jgone?done?done?"
    for odd in ("a" * 31, "a" * 33, "A" * 32, "a" * 32 + " x", "../" * 10 + "aa"):
        answer = node_script.parse_answer(GOOD + f"mark {odd}\n")
        assert (answer.found, answer.problem) == ("", ""), odd
        assert node_script.parse_answer(GOOD.replace("a" * 32, odd)).problem.startswith("the script did not finish")
    injected = node_script.parse_answer(f"error x\x0cmark {'b' * 32}\x0cmismatch all\n")
    assert (injected.found, injected.mismatch) == ("", False)


def test_the_script_is_valid_shell_and_contains_the_keys() -> None:
    text = node_script.node_script(OPERATIONS, (key(1), RSA))
    assert subprocess.run(["sh", "-n"], input=text, text=True, check=False).returncode == 0
    assert f"KEY='{OPERATIONS.key}'" in text and f"EXPECTED='{key(1)};{RSA};'" in text


def test_keys_are_parsed_once_each_in_a_fixed_order() -> None:
    lines = [str(RSA), f"{key(1)} x", "nonsense", str(key(1)), "ssh-dss AAAA"]
    assert parse_keys(lines) == parse_keys(reversed(lines)) == (key(1), RSA)
