# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ProxyCommand of ssh, which carries an SSH connection through Session Manager or through a jump host.

With ``python ssm_proxy.py --target T --region R [--profile P] [--account A] [--port 22]``, it uses Session Manager. The AWS CLI
inherits stdin and stdout, so this process never reads the byte stream. The process adds two functions that the CLI lacks. It
limits the rate of session starts of all processes together. It also retries a StartSession call that was throttled or that found
the node's agent offline. It retries for a short time only, because the node may be off, and because ssh also retries.

With ``python ssm_proxy.py --jump HOST DESTINATION:PORT SSH_OPTION...``, it connects to the destination through the host. The
options describe the connection to the host, which all processes share.

The program is started by its path, outside of any Python package. It therefore loads files of ``module_utils`` by path.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
import time
import types
import typing as t

PASSED_ON = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGQUIT)
MISSING, FAILED = 127, 255


def neighbour(name: str, *, folder: str = "_node_access") -> types.ModuleType:
    """Load a file of module_utils as a module, by default from the folder ``_node_access``."""
    plugins = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.path.join(plugins, "module_utils", folder, f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"mlfleet_hyperpod_{name}", path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ssm_cli = neighbour("ssm_cli")
ssh_jump = neighbour("ssh_jump")
ssh_log = neighbour("ssh_log")
throttle = neighbour("throttle")
words = neighbour("text", folder="_core")


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="ssm-proxy", allow_abbrev=False, description="ssh through Session Manager")
    parser.add_argument("--target")
    parser.add_argument("--region")
    parser.add_argument("--profile")
    parser.add_argument("--account")
    parser.add_argument("--port", type=int, default=22)
    parser.add_argument("--state-dir", default="~/.mlfleet/hyperpod")
    parser.add_argument("--deadline", type=float, default=90.0, help="seconds for all tries")
    parser.add_argument("--patience", type=float, default=10.0, help="seconds for retries after a node was not connected")
    parser.add_argument("--jump", nargs=argparse.REMAINDER, metavar="HOST DESTINATION:PORT SSH_OPTION")
    options = parser.parse_args(arguments)
    if options.jump is None and not (options.target and options.region):
        parser.error("--target and --region are needed")
    if options.jump is not None and len(options.jump) < 2:
        parser.error("--jump needs a host and a destination")
    return options


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    options.state_dir = os.path.expanduser(options.state_dir)
    if options.jump is not None:
        try:
            return complain(ssh_jump.jump(options.jump, state_dir=options.state_dir), options, FAILED)
        except OSError as error:
            return complain(f"{options.jump[0]}: {error}", options, FAILED)
    try:
        command = ssm_cli.session_command(
            target=options.target,
            region=options.region,
            profile=options.profile,
            document="AWS-StartSSHSession",
            parameters=f"portNumber={options.port}",
        )
        ssm_cli.require_plugin()
    except ssm_cli.MissingProgram as error:
        return complain(f"{options.target}: {error}", options, MISSING)
    return stream(command, options)


def stream(command: list[str], options: argparse.Namespace) -> int:
    """Start the session, retry if that is safe, and wait for the end of the session."""
    key = ssm_cli.slot_key(options.account, options.profile, options.region)
    end = time.monotonic() + options.deadline
    for retry in range(ssm_cli.TRIES):
        throttle.take_slot(options.state_dir, key)
        status, text = run(command)
        error = ssm_cli.start_error(text) if status else None
        if error is None:
            sys.stderr.write(text)
            if status and text.strip():
                ssh_log.note(options.state_dir, one_line(f"{options.target}: {text}"))
            return status
        pause = ssm_cli.pause_before(retry)
        if error[0] == ssm_cli.NOT_CONNECTED:
            end = min(end, time.monotonic() + options.patience)
        last_try = retry + 1 == ssm_cli.TRIES or time.monotonic() + pause > end
        if error[0] not in ssm_cli.PASSING or last_try:
            return complain(f"{options.target}: {error[0]}: {error[1]} (tries: {retry + 1})", options, FAILED)
        time.sleep(pause)
    return FAILED


def run(command: list[str]) -> tuple[int, str]:
    """Run a command, and return its exit status and stderr. The status is 128 + N if signal N ended the command."""
    started: list[subprocess.Popen[bytes]] = []
    early: list[int] = []

    def pass_on(number: int, _frame: t.Any) -> None:
        # The signal goes to the whole process group, because the CLI starts the plugin and does not end it.
        for process in started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)
        if not started:
            early.append(number)

    before = {number: signal.signal(number, pass_on) for number in PASSED_ON}
    try:
        process = subprocess.Popen(command, stderr=subprocess.PIPE, env=ssm_cli.session_environment(), start_new_session=True)
        started.append(process)
        for number in early:
            pass_on(number, None)
        text = process.communicate()[1].decode(errors="replace")
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return (process.returncode if process.returncode >= 0 else 128 - process.returncode), text


def one_line(message: str) -> str:
    return words.printable(" ".join(message.split()))


def complain(message: str, options: argparse.Namespace, status: int) -> int:
    message = one_line(message)
    sys.stderr.write(f"ssm-proxy: {message}\n")
    ssh_log.note(options.state_dir, message)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
