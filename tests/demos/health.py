"""`make demo-health`: which nodes are fit for training, why not, and the repair of one. About two minutes."""

from __future__ import annotations

import os
import re

from stage import begin, end, lab, playbook, say, shell

os.environ.setdefault("LAB_NAME", "demo-health")
STATE = "$HOME/.mlfleet/hyperpod"
JOB = "runuser -u alice -- sh -c 'cd /tmp && sbatch --parsable -o /dev/null -p dev -w {node} --wrap \"sleep 900\"'"
SHOWN = r"(?<=- )\d+ of \d+ nodes with.*|(?<=- ')(?:replace|reboot|look-again): [^,\n]*"


def main() -> None:
    say("A lab with Slurm and two training nodes, ml.p5.48xlarge with eight GPUs and 32 EFA devices each")
    begin()
    playbook("login_access")
    well, bad = (name for name, _instance in workers())
    lab("accelerators", well, "healthy")
    lab("accelerators", bad, "healthy")

    say("Are they fit? A job of alice keeps running on one of them")
    lab("exec", "--node", controller(), "--", "sh", "-c", JOB.format(node=well), quiet=True)
    verify()

    say("GPU 3 of the other node falls off the bus")
    lab("accelerators", bad, "gpu-off-the-bus")
    verify()

    say("The plan for its repair. No action is taken until this plan is approved")
    plan = re.findall(r"remediation_approve=(ml:[0-9a-f]{8})", " ".join(playbook("remediate").split()))[0]

    say("The plan is approved: drain, reboot by AWS, check, and back into service. The job on the other node keeps running")
    playbook("remediate", "-e", f"remediation_approve={plan}")
    verify()

    say("The report as one file, which works offline")
    print("   ", shell(f"ls {STATE}/accelerators.html").strip())
    end()


def verify() -> None:
    playbook("verify", "-e", "accelerator_health_result=report", show=SHOWN)


def workers() -> list[tuple[str, str]]:
    """Host names and instance IDs."""
    return re.findall(r"(ip-[\d-]+)\s+\S+\s+worker-group-1\s+\S+\s+(i-\w+)", lab("status", quiet=True))


def controller() -> str:
    return str(re.findall(r"(ip-[\d-]+)\s+\S+\s+controller-machine", lab("status", quiet=True))[0])


if __name__ == "__main__":
    main()
