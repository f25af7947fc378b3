"""`make demo`: the main job of the collection, on real machines, in about two minutes. No AWS account is needed."""

from __future__ import annotations

import os
import time

from stage import end, first_login_node, lab, logins, playbook, say, shell

os.environ.setdefault("LAB_NAME", "demo")
GROUP = "$(aws --profile lab elbv2 describe-target-groups --query 'TargetGroups[0].TargetGroupArn' --output text)"


def health_check(port: str) -> None:
    shell(f"aws --profile lab elbv2 modify-target-group --target-group-arn {GROUP} --health-check-port {port}")


def main() -> None:
    say("A lab: machines with systemd and sshd, Slurm, a shared file system, and AWS's APIs simulated")
    lab("down", quiet=True)
    lab("up")

    say("What would be done? (check mode: nothing changes)")
    playbook("login_access", "--check")

    say("Do it: balancer, shared host keys, accounts, readiness gates")
    playbook("login_access")

    say("alice logs in nine times through one name, with strict host key checking")
    logins(9)

    say("A node is replaced while the health check asks port 22, as tutorials do: the warning that people hate")
    health_check("traffic-port")
    lab("replace-node", first_login_node()[0])
    time.sleep(3)
    logins(9)

    say("The same situation with the readiness gate: the blank node gets no login, nobody notices")
    health_check("2022")
    time.sleep(3)
    logins(12)

    say("The timer's job: reconcile brings the node back into service")
    playbook("reconcile")
    logins(9)

    end()


if __name__ == "__main__":
    main()
