"""Helpers of the demos: headings, subcommands of the lab, playbooks with a short output, logins."""

from __future__ import annotations

import collections
import os
import re
import shlex
import subprocess
import sys
import textwrap
import time
import typing as t
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
LOGIN = """\
ssh -F none -i ~/people/alice/id_ed25519 -o IdentitiesOnly=yes -o BatchMode=yes -o StrictHostKeyChecking=yes \
-o UserKnownHostsFile=$HOME/.mlfleet/hyperpod/people/ml/known_hosts alice@$NAME hostname 2>&1"""
FIND_NAME = "NAME=$(cut -d' ' -f1 ~/.mlfleet/hyperpod/people/ml/known_hosts | head -n 1 | cut -d, -f1); "
INSIDE = "--inside"
VARIABLES = "~/inventory/group_vars/all.yml"
BEGIN = float(os.environ.setdefault("DEMO_BEGIN", str(time.monotonic())))
"""The first process of a demo passes it on to those in the lab."""
BOLD, DIM, RED, GREEN, PLAIN = ("\033[1m", "\033[2m", "\033[31m", "\033[32m", "\033[0m") if sys.stdout.isatty() else [""] * 5


def say(text: str) -> None:
    """Print a heading."""
    print(f"\n{BOLD}[{time.monotonic() - BEGIN:4.0f} s] {text}{PLAIN}", flush=True)


def lab(*arguments: str, quiet: bool = False) -> str:
    """Run a subcommand of the lab; prints its output line by line and returns it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "lab", *arguments],
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    lines = []
    for line in process.stdout or []:
        lines.append(line)
        if not quiet:
            print(f"    {line}", end="", flush=True)
    if process.wait() and not quiet:
        sys.exit(f"\nThe demo stopped: `lab {' '.join(arguments)}` ended with exit status {process.returncode}.")
    return "".join(lines)


def begin() -> None:
    """Start the lab of the demo. Labs that earlier demos left are removed first: a machine has room for two or three."""
    for folder in sorted((TESTS.parent / ".lab").glob("demo*")):
        if "is gone" in lab("down", "--name", folder.name, quiet=True):
            print(f"    The lab {folder.name}, which an earlier run of a demo left, is removed.", flush=True)
    lab("down", quiet=True)
    lab("up")


def go_inside(script: str) -> None:
    """Run a demo's own file again as a process in the lab, which has the APIs; :func:`is_inside` is true there."""
    argv = [sys.executable, "-m", "lab", "exec", "--", sys.executable, str(Path(script).resolve()), INSIDE]
    if failed := subprocess.run(argv, env=environment(), stdin=subprocess.DEVNULL, check=False).returncode:
        sys.exit(failed)


def is_inside() -> bool:
    """Whether this process runs in the lab. Modules of the lab, of the integration tests and of the collection can then be imported."""
    if INSIDE not in sys.argv:
        return False
    sys.path[:0] = [str(TESTS), str(TESTS / "integration"), os.environ["ANSIBLE_COLLECTIONS_PATH"].partition(":")[0]]
    return True


def shell(script: str, *, quiet: bool = True) -> str:
    return lab("exec", "--", "bash", "-c", script, quiet=quiet)


def declare(variables: str) -> None:
    """Append to the variables of this lab, which `make shell` uses as well."""
    print(f"    {DIM}$ cat >> {VARIABLES}{PLAIN}\n{textwrap.indent(variables, 4 * ' ')}", end="", flush=True)
    shell(f"printf %s {shlex.quote(variables)} >> {VARIABLES}")


def playbook(verb: str, *arguments: str, show: str = "") -> str:
    """Run a playbook; prints only changes, matches of ``show`` and the report. Returns the whole output."""
    command = ["ansible-playbook", f"mlfleet.hyperpod.{verb}", *arguments]
    print(f"    {DIM}$ {shlex.join(command)}{PLAIN}", flush=True)
    return shown([sys.executable, "-m", "lab", "exec", "--", *command], environment(), show=show)


def shown(argv: t.Sequence[str], variables: t.Mapping[str, str], *, show: str = "", fails: bool = False) -> str:
    """Run ansible-playbook as :func:`playbook` does, here and with this environment.

    :param fails: whether the playbook must fail.
    """
    process = subprocess.Popen(
        argv,
        env={**variables, "ANSIBLE_DISPLAY_OK_HOSTS": "true"},
        cwd=TESTS.parent,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    output = Output(show)
    for line in process.stdout or []:
        output.line(line)
    if bool(process.wait()) != fails:
        print("".join(output.lines))
        sys.exit(f"The demo stopped: the playbook ended with exit status {process.returncode}.")
    return "".join(output.lines)


class Output:
    """Prints changes, matches of ``show`` and the report of a playbook, line by line; keeps all lines."""

    def __init__(self, show: str = "") -> None:
        self.show = show
        self.lines: list[str] = []
        self._task, self._shown, self._reporting = "", "", False

    def line(self, line: str) -> None:
        self.lines.append(line)
        heading = re.match(r"TASK \[(?:\S+ : )?(.*?)\]", line)
        if heading:
            self._task = heading[1]
        elif changed := re.match(r"changed: \[(?:\S+?-(i-\w+))?", line):
            change = f"{changed[1]}: {self._task}" if changed[1] else self._task
            if change != self._shown:
                print(f"    {GREEN}{change}{PLAIN}", flush=True)
            self._shown = change
        elif self.show and (found := re.search(self.show, line)):
            print(f"    {found[0]}", flush=True)
        self._reporting = self._reporting or line.startswith("HYPERPOD REPORT")
        if self._reporting and line.strip() and not line.startswith("HYPERPOD REPORT"):
            print(f"    {BOLD}{line.rstrip()}{PLAIN}", flush=True)


def logins(count: int, *, login: str = LOGIN) -> None:
    """Log in as alice several times; print how often which node or which warning was shown."""
    tally(shell(f"{FIND_NAME} for i in $(seq {count}); do {login} | tail -n 1; done").splitlines())


def tally(lines: t.Iterable[str]) -> None:
    """Print how often each line occurs: the node that a login reached, or its error."""
    landed = collections.Counter(line.strip() for line in lines)
    for where, times in sorted(landed.items()):
        colour = GREEN if where.startswith("ip-") else RED
        print(f"    {colour}{times:>3} x {where}{PLAIN}", flush=True)


def environment() -> dict[str, str]:
    """Environment of the lab, whose name is LAB_NAME; each demo sets a default."""
    return {**os.environ, "PYTHONPATH": str(TESTS)}


def first_login_node() -> tuple[str, str]:
    """Host name and instance ID."""
    return re.findall(r"(ip-[\d-]+)\s+\S+\s+login-group\s+\S+\s+(i-\w+)", lab("status", quiet=True))[0]


def end() -> None:
    name = os.environ["LAB_NAME"]
    say("Done. The lab is still running:")
    print(
        f"    make shell LAB_NAME={name}     try it yourself: log in, replace a node, run playbooks\n"
        f"    make lab-down LAB_NAME={name}  remove it"
    )
