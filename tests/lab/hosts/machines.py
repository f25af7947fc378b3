# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines: a blank disk over the image, namespaces, and systemd as process 1. Thread-safe; used by the API's process."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

from lab import python
from lab.accelerators.machine import Machine
from lab.hosts import boot, cgroups, disk
from lab.hosts.fsx import FileSystems
from lab.hosts.registry import enter_command, register, registered, registry, registry_file
from lab.hosts.spec import HostSpec
from lab.names import LabError, Paths, hosts_file
from lab.net.network import Network
from lab.slurm import node
from lab.slurm.configuration import configuration


class Hosts:
    """All machines of a lab. Machines that another process created are found by their registry files."""

    def __init__(self, paths: Paths, network: Network) -> None:
        self._paths = paths
        self._network = network
        self._filesystems = FileSystems(paths)
        self._lock = threading.Lock()
        self._specs: dict[str, HostSpec] = {}
        self._starting: set[str] = set()
        for folder in (paths.hosts, paths.disks, paths.clusters):
            folder.mkdir(parents=True, exist_ok=True)
        for entry in self.list():
            self._specs[entry["instance_id"]] = HostSpec(**entry["spec"])

    # Public methods -------------------------------------------------------------------------------------------

    def create(self, spec: HostSpec) -> None:
        """Boot a machine with a blank disk; return when systemd is up and sshd listens."""
        with self._lock:
            if spec.instance_id in self._specs:
                raise LabError(f"host {spec.instance_id} exists")
            cgroups.check_room(1, [cgroups.host_folder(self._paths, starting) for starting in self._starting])
            self._specs[spec.instance_id] = spec
            self._starting.add(spec.instance_id)
        try:
            self._network.attach(spec.instance_id, spec.vpc_id, [(spec.ip, spec.prefix_length)])
            self._blank_disk(spec)
            self._update_cluster(spec.cluster_id)
            self._boot(spec)
        except BaseException:
            with contextlib.suppress(LabError, OSError):
                self._remove(spec)
            raise
        finally:
            with self._lock:
                self._starting.discard(spec.instance_id)
        self._update_cluster(spec.cluster_id)

    def destroy(self, instance_id: str) -> None:
        """Remove a machine with its disk and address."""
        spec = self._spec(instance_id)
        self._remove(spec)
        self._update_cluster(spec.cluster_id)

    def wipe(self, instance_id: str) -> None:
        """Wipe a machine as a software update does: same ID, name and address; blank disk and new host keys."""
        spec = self._spec(instance_id)
        self._halt(instance_id)
        disk.drop(self._paths.disks / instance_id)
        self._blank_disk(spec)
        self._update_cluster(spec.cluster_id)
        self._boot(spec)

    def reboot(self, instance_id: str) -> None:
        """Stop and start a machine; its disk stays."""
        spec = self._spec(instance_id)
        self._halt(instance_id)
        self._boot(spec)

    def power_off(self, instance_id: str) -> None:
        """Power off a machine: its address gives no reply, not even a refusal. AWS does not notice it for a while."""
        self._network.plug(instance_id, connected=False)
        self._halt(instance_id)

    def power_on(self, instance_id: str) -> None:
        """Boot a machine that is off, with its old disk."""
        spec = self._spec(instance_id)
        self._network.plug(instance_id, connected=True)
        self._boot(spec)

    def runs(self, instance_id: str) -> bool:
        """Whether the machine is on and has booted."""
        return registry_file(self._paths, instance_id).exists()

    def init_pid(self, instance_id: str) -> int:
        """Process id of the machine's systemd, in the lab's process namespace."""
        return int(registry(self._paths, instance_id)["pid"])

    def run(self, instance_id: str, argv: Sequence[str], *, timeout: float = 60) -> subprocess.CompletedProcess[str]:
        """Run a command as root inside a machine."""
        return subprocess.run(
            enter_command(self._paths, instance_id, argv),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/root"},
        )

    def list(self) -> list[dict]:
        return registered(self._paths)

    # One machine ------------------------------------------------------------------------------------------------

    def _spec(self, instance_id: str) -> HostSpec:
        with self._lock:
            spec = self._specs.get(instance_id)
        if spec is None:
            raise LabError(f"no host {instance_id}")
        return spec

    def _root(self, instance_id: str) -> Path:
        return self._paths.disks / instance_id / "root"

    def _blank_disk(self, spec: HostSpec) -> None:
        root = disk.blank(self._paths.disks / spec.instance_id, self._paths.rootfs, source=spec.instance_id)
        python.prepare_disk(root)
        (root / "etc/hostname").write_text(f"{spec.name}\n")
        (root / "etc/hosts").write_text(self._names(spec.cluster_id))
        (root / "etc/machine-id").write_text(os.urandom(16).hex() + "\n")
        subprocess.run(["chroot", str(root), "ssh-keygen", "-A"], check=True, capture_output=True)
        if spec.fsx:
            self._filesystems.ensure(spec.fsx)
            disk.move_home(root, "ubuntu", "/fsx/ubuntu")
        if spec.node_type != "none":
            key = node.cluster_key(self._paths.clusters / spec.cluster_id)
            node.prepare(root, spec.node_type, key, spec.controller_ip)

    def _boot(self, spec: HostSpec) -> None:
        group = cgroups.host_folder(self._paths, spec.instance_id)
        group.mkdir(parents=True, exist_ok=True)
        pid = boot.start(
            self._paths,
            cgroup=str(group),
            netns=spec.instance_id,
            name=spec.name,
            root=str(self._root(spec.instance_id)),
            fsx=str(self._filesystems.mount_point(spec.fsx)) if spec.fsx else "",
        )
        boot.wait_until_up(spec.name, pid)
        Machine(pid, str(group)).simulate_after_boot()
        register(self._paths, spec, pid)

    def _halt(self, instance_id: str) -> None:
        """Cut the power. Killing process 1 of a namespace kills all of it."""
        try:
            pid = self.init_pid(instance_id)
        except LabError:
            return
        registry_file(self._paths, instance_id).unlink(missing_ok=True)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        cgroups.remove(cgroups.host_folder(self._paths, instance_id))

    def _remove(self, spec: HostSpec) -> None:
        self._halt(spec.instance_id)
        disk.drop(self._paths.disks / spec.instance_id)
        self._network.detach(spec.instance_id)
        with self._lock:
            self._specs.pop(spec.instance_id, None)

    # A cluster's machines together ------------------------------------------------------------------------------

    def _members(self, cluster_id: str) -> tuple[HostSpec, ...]:
        with self._lock:
            return tuple(spec for spec in self._specs.values() if spec.cluster_id == cluster_id)

    def _names(self, cluster_id: str) -> str:
        """Names of the cluster's machines, which replace the name service of the VPC."""
        return hosts_file({spec.name: [spec.ip] for spec in self._members(cluster_id)})

    def _update_cluster(self, cluster_id: str) -> None:
        """Update names on all machines and slurm.conf on the controller, as HyperPod's agent does when nodes join or leave.

        An existing topology.conf is kept and used.
        """
        members = self._members(cluster_id)
        names = self._names(cluster_id)
        for spec in members:
            etc = self._root(spec.instance_id) / "etc"
            with contextlib.suppress(OSError):  # a disk that is being added or removed: the next change covers it
                disk.replace(etc / "hosts", names)
                tree = (etc / "slurm/topology.conf").exists()
                text = configuration(cluster_id, [each.member for each in members], tree=tree)
                if spec.node_type == "controller" and disk.replace(etc / "slurm/slurm.conf", text):
                    self._reconfigure(spec.instance_id)

    def _reconfigure(self, controller: str) -> None:
        with contextlib.suppress(LabError, subprocess.TimeoutExpired):
            self.run(controller, ["scontrol", "reconfigure"], timeout=20)
