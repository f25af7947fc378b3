"""Terminal sessions of people on a login node."""

from __future__ import annotations

import subprocess

from harness import World
from mishaps import Started, run_until


def alias(world: World) -> tuple[str, str]:
    """SSH options for a login at the address of one node."""
    return "-o", f"HostKeyAlias={world.login_name}"


class Session:
    """A terminal session on a node, opened at the port for people."""

    def __init__(self, world: World, person: str, node: dict) -> None:
        command = [*world.ssh_command(person, node["ip"], *alias(world), "-p", "222", "-tt"), "cat"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert "here" in self.echo("here")

    def echo(self, text: str) -> str:
        """Send a line; returns what the terminal shows up to its echo."""
        self.process.stdin.write(f"{text}\n")
        self.process.stdin.flush()
        shown = ""
        while text not in shown:
            line = self.process.stdout.readline()
            assert line, f"the session ended: {shown}"
            shown += line
        return shown

    def end(self) -> None:
        self.process.kill()
        self.process.wait(timeout=10)

    def wait_for(self, run: Started, text: str) -> str:
        """Wait, while the playbook runs, until the terminal shows the text; returns all that it has shown."""
        shown = [""]

        def is_shown() -> bool:
            shown.append(self.echo(f"line {len(shown)} of mine"))
            return text in "".join(shown)

        assert run_until(run, is_shown), f"the run ended, and the terminal did not show {text}: {''.join(shown)}"
        return "".join(shown)
