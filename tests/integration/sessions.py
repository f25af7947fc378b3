"""People at work on a login node, on a terminal."""

from __future__ import annotations

import subprocess

from harness import World
from mishaps import Started, run_until


def alias(world: World) -> tuple[str, str]:
    """For a login at the address of one node."""
    return "-o", f"HostKeyAlias={world.login_name}"


class Session:
    """Somebody at work on a node, on a terminal, who came in where people do."""

    def __init__(self, world: World, person: str, node: dict) -> None:
        command = [*world.ssh_command(person, node["ip"], *alias(world), "-p", "222", "-tt"), "cat"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert "here" in self.say("here")

    def say(self, text: str) -> str:
        """What the terminal shows until it has echoed the text."""
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

    def hear(self, run: Started, words: str) -> str:
        """All that the terminal has shown by the time that the words are there, while the playbook runs."""
        shown = [""]

        def heard() -> bool:
            shown.append(self.say(f"line {len(shown)} of mine"))
            return words in "".join(shown)

        assert run_until(run, heard), f"the run ended, and the terminal did not show {words}: {''.join(shown)}"
        return "".join(shown)
