# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""etcd, API server, controller manager and scheduler on loopback; as on EKS, the API server identifies users through AWS."""

from __future__ import annotations

import base64
import contextlib
import shutil
import subprocess
import time
import typing as t
from pathlib import Path

from lab.names import LabError
from lab.net.processes import end

from . import build
from .api import Api, ApiError
from .pki import Authority, kubeconfig

PORT = 6443
ETCD_PORT = 2379
SECONDS = 120
POLICIES = {
    "AmazonEKSClusterAdminPolicy": "cluster-admin",
    "AmazonEKSAdminPolicy": "admin",
    "AmazonEKSEditPolicy": "edit",
    "AmazonEKSViewPolicy": "view",
    "AmazonEKSAdminViewPolicy": "admin-view",
}
"""EKS's access policies and the closest roles of Kubernetes. Here a policy is a group with that role."""
OF_RBAC = "rbac.authorization.k8s.io"
ROLES = f"/apis/{OF_RBAC}/v1/clusterroles"
ADMIN_VIEW = {"metadata": {"name": "admin-view"}, "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}]}
"""A role that Kubernetes lacks."""


class ControlPlane:
    """A control plane in ``folder``, which :meth:`stop` removes; its processes end with that, or with the lab.

    :param webhook: URL that reviews tokens.
    :param grace: how long nodes without updates of their kubelet stay ready; empty for the default of Kubernetes.
    :param address: where kubelets outside of this network namespace reach the API server; empty if there are none.
    """

    def __init__(self, folder: Path, programs: Path, webhook: str, grace: str = "", address: str = "") -> None:
        self.folder = folder
        self.programs = programs
        self.webhook = webhook
        self.grace = grace
        self.address = address
        self.parts: list[subprocess.Popen] = []
        folder.mkdir(mode=0o700)
        self.issuer = _certificates(folder, address)
        self.api = Api(folder, PORT)
        self.kubeconfig = folder / "admin.kubeconfig"

    @property
    def endpoint(self) -> str:
        return f"https://127.0.0.1:{PORT}"

    @property
    def authority(self) -> str:
        """The authority in the format of EKS."""
        return base64.b64encode((self.folder / "ca.crt").read_bytes()).decode()

    def start(self) -> None:
        """:raises LabError: if a component does not start."""
        for name in ("admin", "controllers", "scheduler"):
            self._write_kubeconfig(name)
        (self.folder / "webhook.kubeconfig").write_text(kubeconfig(self.webhook, self.folder / "ca.crt", {}))
        version = build.version(self.programs)
        self._run(build.ETCD, *_etcd(self.folder))
        self._run("kube-apiserver", *_api_server(self.folder, version, self.address))
        self._wait("the API server", lambda: self.api.get("/readyz") == {"text": "ok"})
        self._run("kube-controller-manager", *_controllers(self.folder, version, self.grace))
        self._run("kube-scheduler", f"--kubeconfig={self.folder}/scheduler.kubeconfig", *_local(version))
        self._wait("the controller manager", lambda: self.api.get("/api/v1/namespaces/default/serviceaccounts/default"))
        self.api.create(ROLES, ADMIN_VIEW)
        for policy, role in POLICIES.items():
            self.api.create(f"/apis/{OF_RBAC}/v1/clusterrolebindings", _binding(policy, role))

    def stop(self) -> None:
        for part in reversed(self.parts):
            end(part)
        shutil.rmtree(self.folder)

    def _write_kubeconfig(self, name: str) -> None:
        user = {"client-certificate": f"{self.folder}/{name}.crt", "client-key": f"{self.folder}/{name}.key"}
        (self.folder / f"{name}.kubeconfig").write_text(kubeconfig(self.endpoint, self.folder / "ca.crt", user))

    def _run(self, program: str, *arguments: str) -> None:
        with open(self.folder / f"{program}.log", "wb") as log:
            path = build.etcd_of(self.programs) if program == build.ETCD else self.programs / program
            argv = [str(path), *arguments]
            self.parts.append(subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder))

    def _wait(self, what: str, ready: t.Callable[[], object]) -> None:
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline and all(part.poll() is None for part in self.parts):
            with contextlib.suppress(OSError, ApiError):
                if ready():
                    return
            time.sleep(0.2)
        tails = [f"{Path(part.args[0]).name}: {part.poll()}" for part in self.parts]
        raise LabError(f"{what} did not come up; exit statuses: {', '.join(tails)}; logs: {self.folder}")


WITHOUT_PORTS = (1, 23)
"""From this version on, flags of ports without TLS have no effect; later versions lack them."""
Version = tuple[int, int]


def _local(version: Version) -> tuple[str, ...]:
    return ("--leader-elect=false", "--bind-address=127.0.0.1", *_port("--port=0", version))


def _port(flag: str, version: Version) -> tuple[str, ...]:
    return (flag,) if version < WITHOUT_PORTS else ()


def _etcd(folder: Path) -> list[str]:
    clients, peers = f"http://127.0.0.1:{ETCD_PORT}", f"http://127.0.0.1:{ETCD_PORT + 1}"
    return [
        f"--data-dir={folder}/etcd",
        f"--listen-client-urls={clients}",
        f"--advertise-client-urls={clients}",
        f"--listen-peer-urls={peers}",
        f"--initial-advertise-peer-urls={peers}",
        f"--initial-cluster=default={peers}",
    ]


def _api_server(folder: Path, version: Version, address: str = "") -> list[str]:
    return [
        f"--etcd-servers=http://127.0.0.1:{ETCD_PORT}",
        *(f"--bind-address={'0.0.0.0' if address else '127.0.0.1'}", "--advertise-address=127.0.0.1", f"--secure-port={PORT}"),
        *_port("--insecure-port=0", version),
        *(f"--tls-cert-file={folder}/server.crt", f"--tls-private-key-file={folder}/server.key"),
        f"--client-ca-file={folder}/ca.crt",
        *(f"--authentication-token-webhook-config-file={folder}/webhook.kubeconfig", "--authentication-token-webhook-version=v1"),
        "--authentication-token-webhook-cache-ttl=0s",
        "--authorization-mode=Node,RBAC",
        "--service-cluster-ip-range=10.96.0.0/16",
        *("--service-account-issuer=https://kubernetes.default.svc", f"--service-account-key-file={folder}/accounts.pub"),
        f"--service-account-signing-key-file={folder}/accounts.key",
        *(f"--kubelet-client-certificate={folder}/admin.crt", f"--kubelet-client-key={folder}/admin.key"),
        *("--kubelet-preferred-address-types=InternalIP", "--allow-privileged=true", "--endpoint-reconciler-type=none"),
    ]


def _controllers(folder: Path, version: Version, grace: str = "") -> list[str]:
    return [
        f"--kubeconfig={folder}/controllers.kubeconfig",
        *_local(version),
        "--use-service-account-credentials",
        f"--service-account-private-key-file={folder}/accounts.key",
        f"--root-ca-file={folder}/ca.crt",
        "--pvclaimbinder-sync-period=1s",
        *([f"--node-monitor-grace-period={grace}"] if grace else []),
    ]


def _certificates(folder: Path, address: str) -> Authority:
    authority = Authority(folder)
    names = ["kubernetes", "kubernetes.default", "kubernetes.default.svc", "localhost", "127.0.0.1", "10.96.0.1"]
    names += [address] if address else []
    authority.issue("server", "kube-apiserver", names=names)
    authority.issue("admin", "lab-admin", group="system:masters")
    authority.issue("controllers", "system:kube-controller-manager")
    authority.issue("scheduler", "system:kube-scheduler")
    authority.signing_key("accounts")
    return authority


def _binding(policy: str, role: str) -> dict[str, t.Any]:
    return {
        "apiVersion": f"{OF_RBAC}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": policy.lower()},
        "roleRef": {"apiGroup": OF_RBAC, "kind": "ClusterRole", "name": role},
        "subjects": [{"apiGroup": OF_RBAC, "kind": "Group", "name": policy}],
    }
