"""A lab with Kubernetes: a real API server, the endpoint of every EKS cluster of the account. Subclasses add clusters and nodes."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import typing as t
from pathlib import Path

from adhoc import AS_JSON, returned
from harness import World
from lab.cli import world as lab_world
from lab.kubernetes import build
from lab.kubernetes.control_plane import ControlPlane
from lab.kubernetes.front import Front
from lab.kubernetes.hyperpod_nodes import Adder
from lab.kubernetes.kubelets import Kubelets
from lab.kubernetes.logs import Logs
from lab.kubernetes.played import Played
from lab.names import ACCOUNT
from lab.pods import network
from lab.pods.nodes import RealNodes

ADMINISTRATOR = "lab-admin"


class KubernetesWorld:
    """One world at a time for each lab.

    :param cluster: name of the EKS cluster.
    :param grace: how long nodes without a kubelet stay ready.
    :param real: groups whose nodes run their Pods, at most two nodes in total; nodes of all other groups are hollow.
    :param images: names of images on the nodes that run their Pods.
    """

    nodes: Played

    def __init__(self, cluster: str, *, grace: str = "", real: str | t.Collection[str] = (), images: t.Sequence[str] = ()) -> None:
        self.cluster = cluster
        self.world = World()
        self.paths = self.world.paths
        webhook, address = f"{self.paths.api_url}/lab/token-review", network.GATEWAY if real else ""
        self.plane = ControlPlane(self.paths.state / "kubernetes", build.built(), webhook, grace, address)
        self.api = self.plane.api
        self.front = Front(self.plane.folder, self.api)
        self.kubelets = Kubelets(self.api)
        self.logs = Logs(self.plane.folder, self.api)
        self.real = RealNodes(self.paths, self.plane, images) if real else None
        named = [real] if isinstance(real, str) else real
        self.of_groups: dict[str, Adder] = dict.fromkeys(named, self.real) if self.real else {}

    def __enter__(self) -> t.Self:
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def _start(self) -> None:
        self.world.clear_faults()
        self._empty()
        self.plane.start()
        self.front.start()
        self.world.settings(kubernetes={"endpoint": self.front.endpoint, "certificate_authority": self.plane.authority})
        self._prepare()
        self.kubelets.start()
        self.logs.start()
        if self.real:
            self.real.start()
        self.nodes.start()

    def _prepare(self) -> None:
        """Create what exists before the nodes; called once the API server is ready."""

    def _empty(self) -> None:
        """Remove what earlier tests have left in the account."""
        self.world.empty()

    def stop(self) -> None:
        """Stop Kubernetes and empty the account; a later world creates its own clusters."""
        self.nodes.stop()
        if self.real:
            self.real.stop()
        self.kubelets.stop()
        self.logs.stop()
        self.front.stop()
        self.plane.stop()
        self.world.settings(kubernetes={})
        self._empty()

    def aws(self, service: str, profile: str = "lab") -> t.Any:
        return lab_world.client(service, profile)

    def changes(self, by: str | None = None) -> list[tuple[str, str, str]]:
        """Verb, resource and name of each mutating call through EKS's endpoint, including refused ones; calls through ``api`` do not count.

        :param by: user name in Kubernetes: the ARN of an IAM user.
        """
        return [change.summary for change in self.front.changes() if by in (None, change.user)]

    def reset_changes(self) -> None:
        self.front.reset_changes()

    def person(self, name: str) -> str:
        """Get or create an IAM user with a profile of that name; returns the ARN."""
        iam = self.aws("iam")
        existing = {each["UserName"]: str(each["Arn"]) for each in iam.list_users()["Users"]}
        if name in existing:
            return existing[name]
        arn = iam.create_user(UserName=name)["User"]["Arn"]
        key = iam.create_access_key(UserName=name)["AccessKey"]
        with open(os.environ["AWS_SHARED_CREDENTIALS_FILE"], "a", encoding="utf-8") as file:
            file.write(f"\n[{name}]\naws_access_key_id = {key['AccessKeyId']}\naws_secret_access_key = {key['SecretAccessKey']}\n")
        return str(arn)

    def operator(self, name: str) -> str:
        """Add a profile for the role ``mlfleet-NAME``, which the documented policies allow as an administrator; returns its ARN."""
        arn = f"arn:aws:iam::{ACCOUNT}:role/mlfleet-{name}"
        profile = f"\n[profile {name}]\nrole_arn = {arn}\nrole_session_name = lab\nsource_profile = lab\n"
        path = Path(os.environ["AWS_CONFIG_FILE"])
        if profile not in path.read_text():
            with path.open("a", encoding="utf-8") as file:
                file.write(profile)
        return arn

    def admit(self, principal: str, policy: str) -> None:
        """Create an access entry with one of EKS's access policies for the whole cluster."""
        eks, scope = self.aws("eks"), {"type": "cluster"}
        eks.create_access_entry(clusterName=self.cluster, principalArn=principal)
        arn = f"arn:aws:eks::aws:cluster-access-policy/{policy}"
        eks.associate_access_policy(clusterName=self.cluster, principalArn=principal, policyArn=arn, accessScope=scope)

    def agent(self, version: str) -> None:
        """Install HyperPod's health monitoring agent as its Helm chart does."""
        name = "health-monitoring-agent"
        self.api.create("/api/v1/namespaces", {"metadata": {"name": "aws-hyperpod"}})
        container = {"name": "agent", "image": f"111111111111.dkr.ecr.us-west-2.amazonaws.com/hyperpod-{name}:{version}"}
        template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}}
        spec = {"selector": {"matchLabels": {"app": name}}, "template": template}
        self.api.create("/apis/apps/v1/namespaces/aws-hyperpod/daemonsets", {"metadata": {"name": name}, "spec": spec})

    def module(self, name: str, options: t.Mapping[str, t.Any], profile: str = "lab", *, check: bool = False) -> dict[str, t.Any]:
        """Result of a module, run with the ansible command."""
        return returned(self.world.run(command(name, options, profile, check=check), env=AS_JSON).stdout)

    def adhoc(self, name: str, options: t.Mapping[str, t.Any], *more: str) -> t.Any:
        """Run a module of any collection on the controller; returns the process with its output."""
        argv = ["ansible", "localhost", "-i", "localhost,", "-c", "local", "-m", name, "-a", json.dumps(options), *more]
        return self.world.run([*argv, "-e", f"ansible_python_interpreter={sys.executable}"], env=AS_JSON)

    def credential_kubeconfig(self, profile: str, state_dir: Path) -> dict[str, t.Any]:
        """The kubeconfig that roles pass to kubernetes.core."""
        cluster = self.module("eks_cluster_info", {"name": self.cluster})["eks_cluster"]
        options = {"region": "us-west-2", "profile": profile, "state_dir": str(state_dir), "python": sys.executable}
        made: dict[str, t.Any] = importlib.import_module("plugins.plugin_utils.eks_kubeconfig").kubeconfig(cluster=cluster, **options)
        return made

    def kubeconfig(self, profile: str = ADMINISTRATOR) -> Path:
        """Path of a kubeconfig as ``aws eks update-kubeconfig`` writes it."""
        path = self.plane.folder / f"{profile}.kubeconfig"
        if not path.exists():
            argv = ["aws", "--profile", ADMINISTRATOR, "eks", "update-kubeconfig", "--name", self.cluster, "--kubeconfig", str(path)]
            subprocess.run(argv, check=True, capture_output=True)
            path.write_text(path.read_text().replace(ADMINISTRATOR, profile))
        return path

    def kubectl(self, *arguments: str, profile: str = ADMINISTRATOR) -> subprocess.CompletedProcess[str]:
        argv = ["kubectl", "--kubeconfig", str(self.kubeconfig(profile)), *arguments]
        return subprocess.run(argv, check=False, capture_output=True, text=True)

    def seen(self, *arguments: str) -> t.Any:
        """JSON output of ``kubectl get`` as an administrator."""
        done = self.kubectl("get", "-o", "json", *arguments)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def command(name: str, options: t.Mapping[str, t.Any], profile: str = "lab", *, check: bool = False) -> list[str]:
    """Command line that runs a module."""
    arguments = json.dumps({"profile": profile, "region": "us-west-2", **options})
    argv = ["ansible", "localhost", "-i", "localhost,", "-c", "local", "-m", f"mlfleet.hyperpod.{name}", "-a", arguments]
    return [*argv, *(["--check"] if check else []), "-e", f"ansible_python_interpreter={sys.executable}"]


def until(holds: t.Callable[[], bool], *, seconds: float = 60) -> None:
    def body() -> None:
        assert holds()

    World.eventually(body, seconds=seconds)
