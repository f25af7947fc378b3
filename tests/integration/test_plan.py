"""Check mode on an empty account makes no mutating call, and its plan equals the changes of the run."""

from __future__ import annotations

import re

from harness import STATE_DIR, Run, World
from worlds import note_ready

# Changes that check mode cannot predict without access to nodes, and records of the run's own progress.
UNKNOWN_UNTIL_ACCESS = ("trust record of ", "lock ")

TURN = re.compile(r"included: \S+/login_nodes/tasks/node/ready\.yml for (\S+)")


def on_cluster(run: Run) -> list[tuple[str, str, str | None]]:
    return sorted(
        (change["action"], change["resource"], change["field"] or "")
        for change in run.cluster()["changes"]
        if change["host"] == "ml" and not change["resource"].startswith(UNKNOWN_UNTIL_ACCESS)
    )


def test_the_plan_of_a_bare_cluster_equals_the_changes_of_the_run(bare: World):
    planned = bare.playbook("login_access", "--check", "--diff")
    assert planned.rc == 0, planned.log
    assert bare.calls(mutating=True) == []
    assert [call for call in bare.calls() if call["operation"] == "StartSession"] == []
    assert "would gain access" in " ".join(planned.cluster()["notes"])
    assert bare.aws("elbv2").describe_load_balancers()["LoadBalancers"] == []

    done = bare.playbook("login_access")
    assert done.rc == 0, done.log
    assert on_cluster(planned) == on_cluster(done)
    assert TURN.findall(done.output) == sorted(f"ml-{node['instance_id']}" for node in bare.login_nodes())
    assert STATE_DIR.stat().st_mode & 0o777 == 0o700

    after = bare.playbook("login_access", "--check", "--diff")
    assert (after.rc, after.changed) == (0, 0), after.log
    note_ready(bare)
