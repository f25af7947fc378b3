# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One node that runs its Pods: its disk, its configuration, and the process that starts its container runtime and kubelet."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
import typing as t
from pathlib import Path

from lab.accelerators import machine as accelerators
from lab.accelerators.story import Story
from lab.hosts import boot, cgroups, disk, namespace
from lab.kubernetes import build
from lab.kubernetes.control_plane import PORT, ControlPlane
from lab.kubernetes.kubelets import Machine
from lab.kubernetes.pki import kubeconfig
from lab.names import REGISTRY, LabError, Paths

from . import hardware, images, network, pytorch, settings, trees

FIRST = Path(__file__).with_name("node.sh")
SYSTEM, MODULES, KUBELET = "opt/container", "opt/modules", "opt/kubelet"
"""Paths on the node of the trees that containers see, and of the program."""
SHARED = "mnt/shared"
"""Path of a folder that all nodes have in common."""
ON_DISK = ("containerd", "kubelet")
"""Folders of /var/lib outside of the node's overlay, because an overlay can't be the upper layer of another."""
IMPORT_SECONDS = BOOT_SECONDS = 60
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}


class Node:
    """
    :param number: one of ``network.NUMBERS``.
    :param story: its accelerators; None if it has none.
    """

    def __init__(self, paths: Paths, plane: ControlPlane, machine: Machine, number: int, story: Story | None = None) -> None:
        self.paths = paths
        self.plane = plane
        self.machine = machine
        self.number = number
        self.story = story
        self.pid = 0
        self.folder = paths.disks / machine.name
        self.root = self.folder / "root"
        self.group = cgroups.host_folder(paths, machine.name)

    @property
    def name(self) -> str:
        return self.machine.name

    def up(self, names: t.Sequence[str]) -> None:
        """Boot it; the first process imports the images before it starts kubelet."""
        network.attach(self.name, self.number)
        disk.blank(self.folder, trees.NODE.built(), source=self.name)
        self._configure(names)
        self.group.mkdir(parents=True, exist_ok=True)
        flags = settings.kubelet_flags(self.name, network.address(self.number))
        self.pid = boot.start(
            self.paths,
            cgroup=str(self.group),
            netns=self.name,
            name=self.name,
            root=str(self.root),
            binds=self._made({**self._folders(), **self._masks()}),
            read_only_binds=self._made({**self._trees(), KUBELET: self.plane.programs / build.KUBELET}),
            init=["/bin/bash", f"/{FIRST.name}", f"/{KUBELET}", *flags],
        )
        if self.story:
            self.simulate(self.story)

    def down(self) -> None:
        """Kill the first process, and with it all others and their containers."""
        if self.pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        cgroups.remove(self.group)
        disk.drop(self.folder)
        network.detach(self.name)

    def run(self, argv: t.Sequence[str], *, timeout: float = 60) -> subprocess.CompletedProcess[str]:
        """Run a command as root on the node."""
        command = namespace.host_argv(self.pid, argv)
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False, env=ENVIRONMENT)

    def simulate(self, story: Story) -> None:
        """Show the accelerators of this story instead of others, also to containers that start later.

        :raises LabError: if the node has not entered its disk within a minute.
        """
        deadline = time.monotonic() + BOOT_SECONDS
        while not Path(f"/proc/{self.pid}/root/{FIRST.name}").exists():
            if time.monotonic() > deadline:
                raise LabError(f"node {self.name} did not boot")
            time.sleep(0.02)
        accelerators.Machine(self.pid, "").simulate(story)

    def name_image(self, name: str) -> None:
        """:raises LabError: if the node has not imported its images within a minute."""
        deadline = time.monotonic() + IMPORT_SECONDS
        while (done := self.run(["ctr", "--namespace", "k8s.io", "images", "tag", "--force", images.CONTAINER, name])).returncode:
            if time.monotonic() > deadline:
                raise LabError(f"node {self.name}: no image {name}: {done.stderr.strip()}")
            time.sleep(0.2)

    def _configure(self, names: t.Sequence[str]) -> None:
        etc, certificates = self.root / "etc", self.root / settings.FOLDER.lstrip("/")
        registries = self.root / settings.REGISTRIES.lstrip("/") / "_default"
        for folder in (etc / "cni/net.d", registries, etc / "lab", certificates):
            folder.mkdir(parents=True, exist_ok=True)
        (etc / "hostname").write_text(f"{self.name}\n")
        (etc / "hosts").write_text(f"127.0.0.1 localhost\n{network.address(self.number)} {self.name}\n{network.GATEWAY} {REGISTRY}\n")
        (etc / "resolv.conf").write_text(f"nameserver {network.GATEWAY}\n")
        (etc / "containerd/config.toml").write_text(settings.containerd())
        (registries / "ca.crt").symlink_to(f"{settings.FOLDER}/ca.crt")
        (self.root / settings.SPECIFICATION.lstrip("/")).write_text(json.dumps(self._specification()))
        (etc / "cni/net.d/10-pods.conflist").write_text(settings.pod_network(self.number))
        (certificates / "kubelet.json").write_text(settings.kubelet())
        self._identify(certificates)
        busybox = (self.root / "usr/bin/busybox").read_bytes()
        waiting = [each for each in names if images.DEVICE_PLUGIN in each]
        running = [each for each in names if each not in waiting]
        images.save(etc / "lab/images.tar", [images.pause(busybox, waiting), images.container(running)])
        shutil.copy2(FIRST, self.root / FIRST.name)

    def _specification(self) -> dict[str, t.Any]:
        """The runtime's own default, with what containers see of the trees."""
        argv = ["chroot", str(self.root), "ctr", "oci", "spec"]
        found = json.loads(subprocess.run(argv, check=True, capture_output=True, env=ENVIRONMENT).stdout)
        modules = f"/{MODULES}" if self._modules() else None
        return {**found, "mounts": [*found["mounts"], *images.mounts(f"/{SYSTEM}", modules, accelerators=bool(self.story))]}

    def _identify(self, folder: Path) -> None:
        """Write the certificate and kubeconfig of a node, which may change only its own objects."""
        addresses = (self.name, network.address(self.number))
        self.plane.issuer.issue(self.name, f"system:node:{self.name}", group="system:nodes", names=addresses)
        shutil.copy2(self.plane.folder / "ca.crt", folder)
        for kind in ("crt", "key"):
            shutil.move(self.plane.folder / f"{self.name}.{kind}", folder / f"kubelet.{kind}")
        own = Path(settings.FOLDER)
        user = {"client-certificate": f"{own}/kubelet.crt", "client-key": f"{own}/kubelet.key"}
        text = kubeconfig(f"https://{network.GATEWAY}:{PORT}", own / "ca.crt", user)
        (folder / "kubelet.kubeconfig").write_text(text)

    def _made(self, binds: t.Mapping[str, Path]) -> dict[str, str]:
        """Sources by the path on the node, which is created here; mounts of the kernel's file systems hide those below them."""
        for path, source in binds.items():
            if source.is_dir():
                (self.root / path).mkdir(parents=True, exist_ok=True)
            else:
                (self.root / path).parent.mkdir(parents=True, exist_ok=True)
                (self.root / path).touch()
        return {path: str(source) for path, source in binds.items()}

    def _folders(self) -> dict[str, Path]:
        folders = {SHARED: self.plane.folder / "shared", **{f"var/lib/{name}": self.folder / "data" / name for name in ON_DISK}}
        for source in folders.values():
            source.mkdir(parents=True, exist_ok=True)
        return folders

    def _trees(self) -> dict[str, Path]:
        modules = self._modules()
        return {SYSTEM: trees.CONTAINER.built(), **({MODULES: modules} if modules else {})}

    @staticmethod
    def _modules() -> Path | None:
        try:
            return pytorch.installed()
        except LabError:
            return None

    def _masks(self) -> dict[str, Path]:
        """Files over those of the machine that kubelet reads, or would change."""
        folder = self.folder / "data/masks"
        masks = hardware.pretend(folder, self.machine.capacity)
        for path, value in settings.SYSCTLS.items():
            mask = folder / path.replace("/", "-")
            mask.write_text(f"{value}\n")
            if Path("/proc/sys", path).exists():
                masks[f"proc/sys/{path}"] = mask
        return masks
