# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verbs of `python -m lab`."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence

from lab.cli import accelerators, enter, faults, home, lifecycle, nodes
from lab.hosts import cgroups
from lab.hosts.laptop import Laptop
from lab.hosts.registry import enter_command
from lab.names import LabError, Paths

WORLD_HOSTS = 6


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="lab", description="Real machines and a simulated AWS, in namespaces.")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--name", help="which lab (LAB_NAME, else `default`)")
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")

    def verb(name: str, text: str) -> argparse.ArgumentParser:
        return verbs.add_parser(name, help=text, description=text, parents=[common])

    up = verb("up", "start the lab and its first cluster")
    up.add_argument("--empty", action="store_true", help="no cluster: the AWS account is empty")
    verb("down", "end the lab and remove everything of it")
    verb("status", "nodes, addresses, states and targets")
    replace = verb("replace-node", "BatchReplaceClusterNodes: another id, a blank disk, new host keys")
    replace.add_argument("node", help="instance id or name (ip-10-1-1-11)")
    update = verb("update-software", "UpdateClusterSoftware: same ids and addresses, blank disks")
    update.add_argument("cluster", nargs="?", default="ml")
    fault = verb("fault", "make something fail: the file system, or calls of the API")
    fault.add_argument("what", choices=("fsx", "api"))
    fault.add_argument("argument", help="fsx: hang or resume; api: list, clear or a rule in JSON (lab/aws/faults.py)")
    hardware = verb("accelerators", "simulate the accelerators of a node: an ml.p5.48xlarge, healthy or not")
    hardware.add_argument("node", help="instance id or name")
    hardware.add_argument("story", choices=accelerators.NAMES)
    execute = verb("exec", "run a command in the lab; its exit code and signals pass through")
    execute.add_argument("--kill-group", action="store_true", help="all that the command started ends with it")
    execute.add_argument("--node", help="run it as root on a node instead (instance id or name)")
    execute.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND")
    laptop = verb("laptop", "a person's laptop outside the VPC, with openvpn: start it, remove it, run a command on it")
    laptop.add_argument("--person", help="alice, bob or mallory", default="alice")
    laptop.add_argument("action", choices=("up", "down", "exec"))
    laptop.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND")
    shell = verb("shell", "an interactive shell in the lab")
    shell.add_argument("--node", help="root on a node instead (instance id or name)")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    try:
        paths = Paths.default(options.name)
        return VERBS[options.verb](paths, options)
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        return 1


def up(paths: Paths, options: argparse.Namespace) -> int:
    begin = time.monotonic()
    lifecycle.start(paths, lambda text: print(f"  {text}", flush=True), hosts=0 if options.empty else WORLD_HOSTS)
    if not options.empty:
        argv = [sys.executable, "-m", "lab", "exec", "--name", paths.name, "--", sys.executable, "-m", "lab.cli.world"]
        done = subprocess.run(argv, env={**os.environ, "PYTHONPATH": str(paths.tests)}, check=False)
        if done.returncode:
            raise LabError(f"the cluster did not come up; look with `lab status`, log: {paths.log}")
    print(f"lab {paths.name!r} is up: {time.monotonic() - begin:.1f} s")
    return 0


def down(paths: Paths, _options: argparse.Namespace) -> int:
    begin = time.monotonic()
    found = lifecycle.stop(paths)
    print(f"lab {paths.name!r} {'is gone' if found else 'was not there'}: {time.monotonic() - begin:.1f} s")
    return 0


def execute(paths: Paths, options: argparse.Namespace) -> int:
    command = _command(options)
    if options.node:
        return _on_node(paths, options.node, command)
    return _inside(paths, command, kill_group=options.kill_group)


def _command(options: argparse.Namespace) -> list[str]:
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        raise LabError("exec: give a command after `--`")
    return command


def laptop(paths: Paths, options: argparse.Namespace) -> int:
    if not paths.inside:
        argv = [*_lab("laptop"), "--person", options.person, options.action, *options.command]
        return _inside(paths, argv, extra={"PYTHONPATH": str(paths.tests)})
    machine = Laptop(paths, options.person)
    if options.action == "exec":
        return enter.run(machine.argv(_command(options)), env=os.environ, supervisor=None)
    machine.up() if options.action == "up" else machine.down()
    return 0


def shell(paths: Paths, options: argparse.Namespace) -> int:
    if options.node:
        return _on_node(paths, options.node, ["/bin/bash", "-l"])
    env = {"LAB_GREETING": home.GREETING}
    return _inside(paths, ["/bin/bash", "--rcfile", str(paths.home / ".bashrc"), "-i"], extra=env)


def _on_node(paths: Paths, node: str, command: Sequence[str]) -> int:
    if not paths.inside:
        return _inside(paths, [*_lab("exec"), "--node", node, "--", *command], extra={"PYTHONPATH": str(paths.tests)})
    argv = enter_command(paths, nodes.find_host(paths, node)["instance_id"], command)
    keep = {key: os.environ[key] for key in ("TERM", "LANG") if key in os.environ}
    env = {**keep, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "USER": "root", "LOGNAME": "root"}
    return enter.run(argv, env=env, supervisor=None)


def inside(paths: Paths, options: argparse.Namespace) -> int:
    """Run verbs that use the API or machines inside the lab, from wherever they were called."""
    if not paths.inside:
        arguments = [str(getattr(options, name)) for name in ("node", "story", "cluster", "what", "argument") if name in options]
        return _inside(paths, [*_lab(options.verb), *arguments], extra={"PYTHONPATH": str(paths.tests)})
    from botocore.exceptions import BotoCoreError, ClientError  # slow to import: not for `exec`

    try:
        return CONTROLS[options.verb](paths, options)
    except (BotoCoreError, ClientError, TimeoutError) as error:
        raise LabError(str(error)) from None


def _lab(verb: str) -> list[str]:
    return [sys.executable, "-m", "lab", verb]


def _inside(
    paths: Paths, argv: Sequence[str], *, kill_group: bool = False, extra: dict[str, str] | None = None
) -> int:
    supervisor = lifecycle.required_pid(paths)
    env = {**home.environment(paths, os.environ), **(extra or {})}
    group = cgroups.command_folder(paths, os.getpid()) if kill_group else None
    return enter.run(argv, env=env, supervisor=supervisor, kill_group=group)


CONTROLS = {
    "status": lambda paths, options: nodes.status(paths),
    "replace-node": lambda paths, options: nodes.replace_node(paths, options.node),
    "update-software": lambda paths, options: nodes.update_software(paths, options.cluster),
    "accelerators": lambda paths, options: accelerators.simulate(paths, options.node, options.story),
    "fault": lambda paths, options: faults.fault(paths, options.what, options.argument),
}
VERBS = {"up": up, "down": down, "exec": execute, "laptop": laptop, "shell": shell, **dict.fromkeys(CONTROLS, inside)}
