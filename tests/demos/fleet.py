"""`make demo-fleet`: AWX runs the playbooks. A job heals a replaced node, a repair waits for an approval, and events start jobs.

About five minutes.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
import typing as t
from pathlib import Path

from stage import BOLD, DIM, GREEN, PLAIN, begin, end, go_inside, is_inside, playbook, say, shown, tally

os.environ.setdefault("LAB_NAME", "demo-fleet")
VERBS = ("reconcile", "verify", "remediate")
NODE_TYPE = "ml.p5.48xlarge"


def main() -> None:
    say("A lab with a cluster, whose login access is set up. AWX is a stand-in: its API, and jobs by ansible-runner in clean folders")
    begin()
    playbook("login_access")
    go_inside(__file__)
    end()


def inside() -> None:
    """Runs in the lab, which has the API."""
    from awx_place import FOLDER, SCM_URL, job_environment
    from lab.awx.server import running

    for folder in (FOLDER, Demo.project, Demo.store):
        shutil.rmtree(folder, ignore_errors=True)
    with running(FOLDER, {SCM_URL: Demo.project}, environment=job_environment()) as awx:
        Demo(awx).run()


class Demo:
    """:param awx: the stand-in, ``lab.awx.server.Server``."""

    project, store = Path.home() / "fleet-project", Path.home() / "reports"

    def __init__(self, awx: t.Any) -> None:
        from harness import World

        self.awx, self.world = awx, World()

    def run(self) -> None:
        set_up = time.monotonic()
        say("The project for AWX: a playbook for each job template, the inventory source, and the settings of the jobs")
        self.write_project()

        say("Everything in AWX that runs the project: credentials, inventory, templates, a workflow, and teams with their rights")
        self.create_objects()

        say("A login node is replaced. olga is in the team operators, and starts the job that a schedule starts every ten minutes")
        self.heal()

        say("GPU 3 of a training node falls off the bus. The workflow finds it, plans a repair, and waits")
        self.repair()

        say("From now on, HyperPod's events start the job: a rule of EventBridge, a queue, and a real ansible-rulebook")
        self.listen()

        say("The reports of all jobs, whose containers AWX would have deleted, are in the store")
        for path in sorted(self.store.rglob("*.json")):
            print(f"    {path.relative_to(self.store)}", flush=True)
        print(f"    {BOLD}{time.monotonic() - set_up:.0f} s since the set-up of the lab{PLAIN}", flush=True)

    def write_project(self) -> None:
        from awx_place import complete

        self.playbook("awx", "-e", f"awx_project_dir={self.project}")
        complete(self.project, self.store)

    def create_objects(self) -> None:
        """A second run changes nothing."""
        from awx_place import Operator, fleet

        variables = self.project.parent / "fleet.yml"
        declared = fleet(variables, *VERBS)
        access = {"CONTROLLER_HOST": self.awx.url, "CONTROLLER_OAUTH_TOKEN": self.awx.token}
        self.playbook("awx", "-e", f"@{variables}", **declared, **access)
        again = self.playbook("awx", "-e", f"@{variables}", **declared, **access)
        print(f"    The second run: {re.findall(r'changed=[0-9]+', again)[-1]}", flush=True)
        self.olga = Operator(self.awx)

    def heal(self) -> None:
        self.world.replace(self.world.login_nodes()[0]["instance_id"])
        self.show("reconcile", self.olga.run("reconcile"))
        tally(self.world.login().stdout for _turn in range(9))

    def repair(self) -> None:
        """Run the workflow; olga approves the repair that it plans."""
        from awx_place import REPAIRS
        from lab.accelerators.story import healthy, off_the_bus

        bad, *well = [node["name"] for node in self.world.hosts("worker-group-1")]
        self.world.accelerate(bad, off_the_bus(healthy(NODE_TYPE), 3), after_reboot=healthy(NODE_TYPE))
        for node in well:
            self.world.accelerate(node, healthy(NODE_TYPE))
        job = self.olga.launch(REPAIRS, "workflow_job_template")
        approval = self.olga.approval(job)
        before = self.olga.jobs_of(job)
        for name, each in before.items():
            self.show(name, each)
        if approval is None:
            sys.exit("The demo stopped: the workflow planned no repair.")
        report = self.olga.output(before["plan repairs"]).partition("HYPERPOD REPORT")[2].partition("\n")[2]
        print("\n".join(f"    {DIM}{line}{PLAIN}" for line in report.splitlines() if line.strip()), flush=True)
        say("olga reads the plan and approves it: AWS reboots the node, which is checked, and takes jobs again")
        self.olga.approve(approval)
        ended = self.olga.ended(job)
        for name, each in self.olga.jobs_of(job).items():
            if name not in before or before[name]["status"] != each["status"]:
                self.show(name, each)
        print(f"    {BOLD}workflow: {ended}{PLAIN}", flush=True)

    def listen(self) -> None:
        """Replace a node, and wait until it serves logins, without starting a job."""
        import listener

        listener.prepare(self.world)
        self.playbook("events", "-e", f"events_rulebook={listener.RULEBOOK}", "-e", "events_awx_organization=ml")
        with listener.with_awx(self.awx):
            say("A login node is replaced. AWX starts the job")
            begin = time.monotonic()
            self.world.replace(self.world.login_nodes()[0]["instance_id"])
            self.world.eventually(self.world.expect_all_serve, seconds=600)
            tally(self.world.login().stdout for _turn in range(9))
            print(f"    {BOLD}{time.monotonic() - begin:.0f} s from the replacement to logins on all nodes{PLAIN}", flush=True)

    def show(self, name: str, job: dict[str, t.Any]) -> None:
        """Print the status of a job, and the verdict that its artifact has for each cluster."""
        clusters = job.get("artifacts", {}).get("hyperpod", {}).get("clusters", {})
        verdicts = ", ".join(f"{key}: {each['status']}" for key, each in clusters.items())
        print(f"    {GREEN}job {name}: {job['status']}{f' ({verdicts})' if verdicts else ''}{PLAIN}", flush=True)

    @staticmethod
    def playbook(verb: str, *arguments: str, **variables: str) -> str:
        argv = ["ansible-playbook", f"mlfleet.hyperpod.{verb}", *arguments]
        print(f"    {DIM}$ {' '.join(argv)}{PLAIN}", flush=True)
        return shown(argv, {**os.environ, **variables})


if __name__ == "__main__":
    inside() if is_inside() else main()
