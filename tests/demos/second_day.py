"""`make demo-day2`: operation of login access after the first day. About four minutes."""

from __future__ import annotations

import json
import os

from stage import LOGIN, begin, end, first_login_node, lab, logins, playbook, say, shell

os.environ.setdefault("LAB_NAME", "demo-day2")
FILES = "$HOME/.mlfleet/hyperpod/people/ml"
# alice's own copy of the file that she received on the first day; her client may write to it.
COPY = f"cp {FILES}/known_hosts ~/people/alice/known_hosts"
WITH_COPY = LOGIN.replace(f"{FILES}/known_hosts", "$HOME/people/alice/known_hosts -o UpdateHostKeys=yes")


def main() -> None:
    say("A lab with login access, as after the first day")
    begin()
    playbook("login_access")
    shell(COPY)

    say("Who can log in to which nodes, with which keys, and when was the last login?")
    logins(3)
    playbook("access_report", show=r"alice|bob|PERSON")

    say("A login node has memory errors: drain it. The run waits for people on it, and new logins see the reason")
    name, instance = first_login_node()
    reason = json.dumps({"drain_nodes": instance, "drain_reason": "memory errors, ticket 4711", "drain_timeout": 20})
    playbook("drain", "-e", reason, show="waited")
    logins(6)

    say("Ten minutes later the timer runs: the node stays drained for every operator")
    playbook("reconcile")

    say("Repaired: undrain verifies the node, then puts it back")
    playbook("undrain", "-e", f"undrain_nodes={instance}")
    logins(6)

    say("New host keys, first phase: nodes announce them with the old ones, and alice's client adds them automatically")
    playbook("rotate_host_keys", "-e", "rotation=start")
    print(shell("wc -l < ~/people/alice/known_hosts").rstrip().rjust(7), "lines in alice's known_hosts before she logs in")
    logins(1, login=WITH_COPY)
    print(shell("wc -l < ~/people/alice/known_hosts").rstrip().rjust(7), "lines after it")

    say("Second phase (30 days later outside a demo): only the new keys are presented. alice sees no question and no warning")
    playbook("rotate_host_keys", "-e", "rotation=finish", "-e", "rotation_min_days=0")
    logins(6, login=WITH_COPY)

    say("bob leaves: he is removed from every node, and a variable file that still names him does not add him to a new node")
    playbook("offboard", "-e", "offboard_name=bob")
    lab("replace-node", name)
    playbook("reconcile")
    print("    bob on the new node:", lab("exec", "--node", first_login_node()[0], "--", "id", "bob", quiet=True).strip())

    say("Is everything as declared? (exit status 0: in sync, 2: drift, 1: not known)")
    playbook("drift", "--check")

    end()


if __name__ == "__main__":
    main()
