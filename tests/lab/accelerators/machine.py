# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulated accelerators of a lab machine: mounts in its namespace, and links on its disk into its /run.

A blank disk removes them. After a reboot the machine shows the story that was given for it.
"""

from __future__ import annotations

import pickle
import subprocess
import typing as t
from dataclasses import dataclass
from pathlib import Path

from lab.accelerators import present
from lab.accelerators.story import Story, in_boot, rebooted
from lab.hosts import namespace
from lab.names import LabError

FOLDER = Path("/run/lab-accelerators")
AFTER_REBOOT = Path("/var/lib/lab-accelerators")
UNDO = FOLDER / "undo"
PLACES = {
    **dict.fromkeys(present.OF_ANY_NODE, Path("/usr/local/sbin")),
    "all_reduce_perf": Path("/opt/nccl-tests/build"),
    "fi_info": Path("/opt/amazon/efa/bin"),
    "neuron-ls": Path("/opt/aws/neuron/bin"),
    "neuron-monitor": Path("/opt/aws/neuron/bin"),
}
"""Folders of tools; others are in /usr/bin. These precede the real tools of the machine on PATH."""
BOOT = ("/proc/uptime", "/proc/sys/kernel/random/boot_id")
WHOLE = ("bus/pci", "class/infiniband")
"""Folders of sysfs that hide the real hardware; all others show it together with the simulated one."""
OVER_SYSFS = f"""\
mkdir -p merged {" ".join(f"sys/{each}" for each in WHOLE)}
mount -t overlay -o lowerdir=$PWD/sys:/sys lab-accelerators merged
for each in {" ".join(WHOLE)}; do mount --bind sys/$each merged/$each; done
grep ' /sys/' /proc/self/mounts >mounts
while read -r _source path _rest; do mount --bind $path merged${{path#/sys}}; done <mounts
mount --rbind merged /sys
umount --lazy merged
echo 'umount --lazy /sys' >>undo
"""
LIMITS = """\
for process in proc/[0-9]*; do
    service=$(cat $process/comm)
    test -e /etc/systemd/system/multi-user.target.wants/$service.service || continue
    for turn in $(seq 100); do pid=$(pgrep --oldest --exact $service) && break || sleep 0.1; done
    test "$pid" || continue
    mount --bind $process/limits /proc/$pid/limits
    echo "umount --lazy /proc/$pid/limits || true" >>undo
done
"""
"""Limits of running services that start jobs, because the lab's may differ from HyperPod's. A restart of the service removes them."""
UNDONE = f"""\
touch undo
. {UNDO}
find /opt -xdev -mindepth 1 -depth -type d -empty -delete
cd /
rm -r {FOLDER}
"""


@dataclass(frozen=True)
class Machine:
    """A running machine: its first process and its control group."""

    pid: int
    control_group: str

    def simulate(self, story: Story, *, boot: bool = False, after_reboot: Story | None = None) -> None:
        """Show this story instead of any other.

        :param boot: Whether boot ID and uptime are also those of the story; the uptime is then constant. Otherwise they are the machine's,
            and lines of the kernel log keep their age.
        :param after_reboot: The story after the next boot, which has its own boot ID; by default ``story`` after a reboot.
        """
        self.clear()
        self._inside(FOLDER).mkdir()
        shown = story if boot else in_boot(story, *_boot_of_the_lab())
        present.present(shown, self._inside(FOLDER), seen=FOLDER)
        self._run(OVER_SYSFS)
        self._run(LIMITS)
        for place in ("/proc/modules", "/proc/driver", *(BOOT if boot else ())):
            if all(self._inside(path).exists() for path in (FOLDER / place[1:], Path(place))):  # some kernels have no modules
                self._run(f"mount --bind {FOLDER}{place} {place}\necho 'umount --lazy {place}' >>undo\n")
        self._link()
        self._inside(AFTER_REBOOT).write_bytes(pickle.dumps(after_reboot or rebooted(story)))

    def simulate_after_boot(self) -> None:
        """After a boot, show the story that was stored for it."""
        path = self._inside(AFTER_REBOOT)
        if path.exists():
            self.simulate(pickle.loads(path.read_bytes()), boot=True)

    def clear(self) -> None:
        """Remove all simulated accelerators."""
        if self._inside(FOLDER).exists():
            self._run(UNDONE)
        self._inside(AFTER_REBOOT).unlink(missing_ok=True)

    def _link(self) -> None:
        with self._inside(UNDO).open("a", encoding="utf-8") as undo:
            for target, link in self._links():
                self._inside(link).parent.mkdir(parents=True, exist_ok=True)
                self._inside(link).unlink(missing_ok=True)
                self._inside(link).symlink_to(target)
                undo.write(f"rm {link}\n")

    def _links(self) -> t.Iterator[tuple[Path, Path]]:
        tools = [FOLDER / "bin" / path.name for path in self._inside(FOLDER / "bin").iterdir()]
        yield from ((tool, PLACES.get(tool.name, Path("/usr/bin")) / tool.name) for tool in tools)
        for folder in ("opt", "usr"):
            for path in self._inside(FOLDER / folder).rglob("*"):
                if path.is_file():
                    place = path.relative_to(self._inside(FOLDER))
                    yield FOLDER / place, Path("/") / place

    def _inside(self, path: Path) -> Path:
        """A path of the machine, as seen from the lab."""
        return Path(f"/proc/{self.pid}/root", *path.parts[1:])

    def _run(self, script: str) -> None:
        argv = namespace.host_argv(self.pid, ["/bin/sh", "-euc", f"cd {FOLDER}\n{script}"], self.control_group)
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            raise LabError(f"accelerators: {done.stderr.strip()}")


def _boot_of_the_lab() -> tuple[str, float]:
    """Boot ID and uptime of the lab's only kernel. The uptime has fractions, because new log lines must be newer than the last check."""
    uptime = Path("/proc/uptime").read_text().partition(" ")[0]
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip(), float(uptime)
