# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The rights of a job's Pods beyond their own containers: on the node, its network, or the API server. No I/O.

The lists name harmless fields, so any other field is a right. ``baseline`` is from the Pod Security Standards of Kubernetes 1.34.
"""

from __future__ import annotations

import hashlib
import typing as t
from dataclasses import dataclass

from ..._core.text import printable
from ..._kubernetes.client import Object
from ..._kubernetes.job_kinds import Kind, mapping, pod_templates
from .runtime import runtime_of

_LONGEST = 120
_OF_RUNTIME = "the runtime decides what the Pods may do, and this module does not read the runtime"


@dataclass(frozen=True)
class Right:
    name: str
    """The name in the allow list: a field, or ``field=value``."""
    baseline: bool = False
    """Whether Pod Security ``baseline`` refuses it."""
    why: str = "such rights reach beyond the Pod"
    """Why the right is refused unless the allow list has it."""


Rights = t.Iterator[Right]
Rule = t.Callable[[t.Any], Rights]


def rights(kind: Kind, manifest: Object) -> tuple[Right, ...]:
    """The rights of a job's Pod templates and of its runtime, without duplicates, sorted by name."""
    found = {each for template in pod_templates(kind, manifest) for each in _of_template(template)}
    runtime = runtime_of(kind, manifest)
    if runtime and runtime.right:
        found.add(Right(runtime.right, why=_OF_RUNTIME))
    return tuple(sorted(found, key=lambda each: each.name))


def _named(field: str, value: t.Any, *, baseline: bool = False) -> Right:
    """If the value can't be shown in full, the name has its digest, so that an allowed right does not allow a similar one."""
    whole, shown = str(value), printable(value)[:_LONGEST]
    digest = "" if shown == whole else f" sha256:{hashlib.sha256(whole.encode(errors='replace')).hexdigest()[:16]}"
    return Right(f"{field}={shown}{digest}", baseline)


def _items(value: t.Any) -> list[Object]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _of_template(template: Object) -> Rights:
    for name, value in mapping(template, "metadata", "annotations").items():
        field = next((field for prefix, field in _PROFILES.items() if str(name).startswith(prefix)), "")
        if field and not _is_profile(value):
            yield _named(field, value, baseline=True)
    yield from _fields("spec", mapping(template, "spec"), _POD, _POD_RULES)


def _is_profile(value: t.Any) -> bool:
    return value in ("runtime/default", "docker/default") or str(value).startswith("localhost/")


def _fields(path: str, there: Object, harmless: t.Container[str], rules: t.Mapping[str, Rule]) -> Rights:
    for name, value in there.items():
        if value in (None, False, "", [], {}) or name in harmless:
            continue
        if name in rules:
            yield from rules[name](value)
        else:
            yield Right(f"{path}.{printable(name)}")


def _flag(name: str, *, baseline: bool = True) -> Rule:
    return lambda _value: iter((Right(name, baseline),))


def _unless(field: str, *harmless: str, baseline: bool = False) -> Rule:
    return lambda value: iter(() if value in harmless else (_named(field, value, baseline=baseline),))


def _containers(value: t.Any) -> Rights:
    for each in _items(value):
        yield from _fields("containers", each, _CONTAINER, _CONTAINER_RULES)


def _ports(value: t.Any) -> Rights:
    for each in _items(value):
        if each.get("hostPort"):
            yield _named("hostPort", each["hostPort"], baseline=True)


def _handler(value: t.Any) -> Rights:
    """A handler of a probe or a lifecycle hook, which the kubelet runs from the node."""
    for action in ("httpGet", "tcpSocket"):
        host = mapping(value, action).get("host")
        if host:
            yield _named("probeHost", host, baseline=True)


def _lifecycle(value: t.Any) -> Rights:
    for hook in ("postStart", "preStop"):
        yield from _handler(mapping(value, hook))


def _volumes(value: t.Any) -> Rights:
    for each in _items(value):
        for kind in each:
            if kind == "hostPath":
                yield _named("hostPath", mapping(each, kind).get("path"), baseline=True)
            elif kind not in _VOLUMES:
                yield _named("volumes", kind)


def _tolerations(value: t.Any) -> Rights:
    """Tolerations with which a Pod may run on nodes that were taken out of service."""
    for each in _items(value):
        key = str(each.get("key") or "*")
        if key in _OUT_OF_WORK:
            yield _named("tolerations", key)


def _priority_class(value: t.Any) -> Rights:
    if str(value).startswith("system-"):
        yield _named("priorityClassName", value)


def _capabilities(value: t.Any) -> Rights:
    added = mapping(value).get("add")
    for each in added if isinstance(added, list) else ():
        if str(each) not in _CAPABILITIES:
            yield _named("capabilities", each, baseline=True)


def _profile(field: str) -> Rule:
    def rule(value: t.Any) -> Rights:
        kind = mapping(value).get("type")
        if kind not in (None, "", "RuntimeDefault", "Localhost"):
            yield _named(field, kind, baseline=True)

    return rule


def _se_linux(value: t.Any) -> Rights:
    given = mapping(value)
    for name in ("user", "role"):
        if given.get(name):
            yield _named(f"seLinuxOptions.{name}", given[name], baseline=True)
    if given.get("type") not in (None, "", *_SE_LINUX):
        yield _named("seLinuxOptions.type", given["type"], baseline=True)


def _windows(value: t.Any) -> Rights:
    if mapping(value).get("hostProcess"):
        yield Right("hostProcess", True)


def _sysctls(value: t.Any) -> Rights:
    for each in _items(value):
        if str(each.get("name")) not in _SYSCTLS:
            yield _named("sysctls", each.get("name"), baseline=True)


def _security_context(harmless: t.Container[str], rules: t.Mapping[str, Rule]) -> Rule:
    return lambda value: _fields("securityContext", mapping(value), harmless, rules)


_PROFILES = {
    "container.apparmor.security.beta.kubernetes.io/": "appArmorProfile",
    "container.seccomp.security.alpha.kubernetes.io/": "seccompProfile",
    "seccomp.security.alpha.kubernetes.io/": "seccompProfile",
}
"""The prefixes of annotations that older releases of Kubernetes read instead of fields."""
_POD = frozenset(
    "activeDeadlineSeconds affinity automountServiceAccountToken dnsConfig dnsPolicy enableServiceLinks hostAliases hostUsers "
    "hostname hostnameOverride imagePullSecrets nodeSelector os overhead preemptionPolicy priority readinessGates resourceClaims "
    "resources restartPolicy runtimeClassName schedulerName schedulingGates setHostnameAsFQDN shareProcessNamespace subdomain "
    "terminationGracePeriodSeconds topologySpreadConstraints workloadRef".split()
)
_CONTAINER = frozenset(
    "args command env envFrom image imagePullPolicy name resizePolicy resources restartPolicy restartPolicyRules stdin stdinOnce "
    "terminationMessagePath terminationMessagePolicy tty volumeDevices volumeMounts workingDir".split()
)
_OF_USERS = frozenset("runAsGroup runAsNonRoot runAsUser".split())
_VOLUMES = frozenset("name configMap csi downwardAPI emptyDir ephemeral image persistentVolumeClaim projected secret".split())
_CAPABILITIES = frozenset(
    "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT".split()
)
_SE_LINUX = frozenset("container_t container_init_t container_kvm_t container_engine_t".split())
_SYSCTLS = frozenset(
    "kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.ip_local_reserved_ports net.ipv4.ip_unprivileged_port_start "
    "net.ipv4.ping_group_range net.ipv4.tcp_fin_timeout net.ipv4.tcp_keepalive_intvl net.ipv4.tcp_keepalive_probes "
    "net.ipv4.tcp_keepalive_time net.ipv4.tcp_rmem net.ipv4.tcp_syncookies net.ipv4.tcp_wmem".split()
)
_OUT_OF_WORK = frozenset(("*", "node.kubernetes.io/unschedulable", "sagemaker.amazonaws.com/node-health-status"))
_BOTH_RULES: t.Mapping[str, Rule] = {
    "appArmorProfile": _profile("appArmorProfile"),
    "seLinuxOptions": _se_linux,
    "seccompProfile": _profile("seccompProfile"),
    "windowsOptions": _windows,
}
_CONTAINER_RULES: t.Mapping[str, Rule] = {
    "lifecycle": _lifecycle,
    "livenessProbe": _handler,
    "ports": _ports,
    "readinessProbe": _handler,
    "securityContext": _security_context(
        _OF_USERS | {"allowPrivilegeEscalation", "readOnlyRootFilesystem"},
        {
            **_BOTH_RULES,
            "capabilities": _capabilities,
            "privileged": _flag("privileged"),
            "procMount": _unless("procMount", "Default", baseline=True),
        },
    ),
    "startupProbe": _handler,
}
_POD_RULES: t.Mapping[str, Rule] = {
    **{name: _flag(name) for name in ("hostIPC", "hostNetwork", "hostPID")},
    **dict.fromkeys(("containers", "initContainers"), _containers),
    "ephemeralContainers": lambda value: iter((Right("ephemeralContainers"), *_containers(value))),
    "nodeName": _unless("nodeName"),
    "priorityClassName": _priority_class,
    "securityContext": _security_context(
        _OF_USERS | {"fsGroup", "fsGroupChangePolicy", "seLinuxChangePolicy", "supplementalGroups", "supplementalGroupsPolicy"},
        {**_BOTH_RULES, "sysctls": _sysctls},
    ),
    "serviceAccount": _unless("serviceAccountName", "default"),
    "serviceAccountName": _unless("serviceAccountName", "default"),
    "tolerations": _tolerations,
    "volumes": _volumes,
}
