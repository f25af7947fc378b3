# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the job to submit from a manifest and a topology request. The job's kind decides which objects are annotated. No I/O."""

from __future__ import annotations

import copy
import hashlib
import json
import re
import typing as t

from ..._core.failure import Refused, refuse_option, refuse_shown
from ..._core.text import printable
from ..._kubernetes.client import Object
from ..._kubernetes.job_kinds import KINDS, Kind, Template, kind_named, mapping, pod_templates
from ..._kubernetes.names import NAMESPACE, NAMESPACE_ALLOWED
from . import allowed_rights, runtime, wish_places
from .model import HASH, PREFERRED, REQUIRED, UNCONSTRAINED, PodSet, Rendered, Wish

KUEUE = "kueue.x-k8s.io/"
QUEUE, PRIORITY = f"{KUEUE}queue-name", f"{KUEUE}priority-class"
BY_MODE = {mode: f"{KUEUE}podset-{mode}-topology" for mode in (REQUIRED, PREFERRED, UNCONSTRAINED)}
SLICE, SIZE = f"{KUEUE}podset-slice-required-topology", f"{KUEUE}podset-slice-size"
TOPOLOGY = (*BY_MODE.values(), SLICE, SIZE)
_SIZE = re.compile("[1-9][0-9]{0,8}")
NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")
_BY_KUBECTL = "; create a {0} with kubectl, and set the label kueue.x-k8s.io/queue-name on the {0} and on each of its Pod templates"
OTHERWISE = {kind: _BY_KUBECTL.format(kind) for kind in ("RayJob", "RayCluster", "RayService")}
"""How to submit other kinds of jobs that Kueue manages."""
NAME_ALLOWED = "a Kubernetes name: at most 253 lower-case letters, digits, hyphens and dots"


def render(
    manifest: Object,
    *,
    source: str,
    namespace: str | None,
    queue: str | None,
    priority: str | None,
    wish: Wish,
    sent: bool,
    allowed: t.Collection[str] = (),
) -> Rendered:
    """
    :param source: the option with the manifest.
    :param sent: whether the job will be created. Otherwise, the kind and the name are enough.
    :param allowed: the rights that the job's Pods may have.
    :raises Refused: for a manifest that is not a job of a known kind, or that contradicts the topology request.
    """
    kind = _kind(manifest, source)
    made = copy.deepcopy(dict(manifest))
    _name(made, source, namespace)
    if not sent:
        return Rendered(kind, made, (), "")
    _sendable(kind, made, source)
    runtime.check_reference(kind, made, source)
    space = made["metadata"]["namespace"]
    rights = allowed_rights.check(kind, made, namespace=space, allowed=allowed, source=source, option="pod_rights")
    labels = {name: value for name, value in ((QUEUE, queue), (PRIORITY, priority)) if value}
    _add(made["metadata"], "labels", labels, source)
    notes = _place(kind, made, source, wish)
    _label_pods(kind, made, source)
    templates = kind.templates(made, False)
    wish_places.check(kind, made, templates, source=source, known=TOPOLOGY)
    podsets = tuple(PodSet(each.podset, each.pods, wish_of(each, source), each.podset == kind.leader) for each in templates)
    for each, podset in zip(templates, podsets):
        _no_selector(each, podset, source)
    digest = hash_of(kind, made)
    _add(made["metadata"], "annotations", {HASH: digest}, source)
    if kind.suspended_first:
        made["spec"].setdefault(kind.suspend[-1], True)
    warning = runtime.note(f"{kind.name} {space}/{made['metadata']['name']}", runtime.runtime_of(kind, made))
    return Rendered(kind, made, podsets, digest, notes, rights, warning)


def hash_of(kind: Kind, manifest: Object) -> str:
    """The hash of the manifest without the field for suspension, which Kueue controls."""
    text = json.dumps(without_suspend(kind, manifest), sort_keys=True, separators=(",", ":"), default=str)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def without_suspend(kind: Kind, manifest: Object) -> Object:
    bare = copy.deepcopy(manifest)
    place: t.Any = bare
    for name in kind.suspend[:-1]:
        place = place.get(name) if isinstance(place, dict) else None
    if isinstance(place, dict):
        place.pop(kind.suspend[-1], None)
    return bare


def wish_of(template: Template, source: str = "manifest") -> Wish:
    """The topology request in the annotations of a Pod template.

    :raises Refused: for requests that exclude each other.
    """
    notes = mapping(template.body, "metadata", "annotations")
    modes = [mode for mode, name in BY_MODE.items() if name in notes]
    if len(modes) > 1:
        named = " and ".join(BY_MODE[mode] for mode in modes)
        refuse_shown(source, f"{named} on the {template.podset} Pods", "one of them")
    mode = modes[0] if modes else ""
    level = "" if mode in ("", UNCONSTRAINED) else str(notes[BY_MODE[mode]])
    if SLICE not in notes:
        return Wish(mode, level)
    size = str(notes.get(SIZE, ""))
    if not _SIZE.fullmatch(size):
        refuse_option(source, f"{SIZE}: {size}", f"a number of at least 1 together with {SLICE}")
    return Wish(mode, level, str(notes[SLICE]), int(size))


def _kind(manifest: Object, source: str) -> Kind:
    name, version = manifest.get("kind"), manifest.get("apiVersion")
    kind = kind_named(str(name))
    if kind is None:
        names = ", ".join(each.name for each in KINDS)
        refuse_option(f"{source}.kind", name, names + OTHERWISE.get(str(name), ""))
    if version != kind.api_version:
        why = kind.refused.get(str(version).rpartition("/")[2], "")
        refuse_option(f"{source}.apiVersion", version, f"{kind.api_version} for a {kind.name}", why)
    return kind


def _name(made: Object, source: str, namespace: str | None) -> None:
    meta = made.get("metadata")
    if not isinstance(meta, dict):
        raise Refused(f"{source}.metadata: missing; it must contain the job's name.", option=source)
    if "generateName" in meta:
        refuse_option(f"{source}.metadata.generateName", meta["generateName"], "metadata.name, which identifies the job")
    if not isinstance(meta.get("name"), str) or not NAME.fullmatch(meta["name"]):
        refuse_option(f"{source}.metadata.name", meta.get("name"), NAME_ALLOWED)
    own = meta.setdefault("namespace", namespace)
    if own is not None and not isinstance(own, str):
        refuse_option(f"{source}.metadata.namespace", own, f"a text: {NAMESPACE_ALLOWED}")
    if own is None:
        raise Refused("namespace: missing, and not in the manifest. A team's namespace is hyperpod-ns-TEAM.", option="namespace")
    if namespace not in (None, own):
        refuse_option("namespace", namespace, f"{printable(own)}, as in the manifest, or no value")
    if not re.fullmatch(NAMESPACE, own):
        refuse_option("namespace", own, NAMESPACE_ALLOWED)


def _sendable(kind: Kind, made: Object, source: str) -> None:
    if not isinstance(made.get("spec"), dict):
        raise Refused(f"{source}.spec: missing; it defines the job.", option=source)
    if "status" in made:
        raise Refused(f"{source}.status: not allowed; controllers write it.", option=source)
    for name in ("labels", "annotations"):
        if not isinstance(made["metadata"].setdefault(name, {}), dict):
            refuse_option(f"{source}.metadata.{name}", made["metadata"][name], "an object whose values are strings")
    for name, instead in kind.outdated.items():
        if name in made["spec"]:
            refuse_shown(f"{source}.spec.{name}", "this field", instead)
    if HASH in made["metadata"]["annotations"]:
        raise Refused(f"{source}.metadata.annotations.{HASH}: not allowed; this module writes it.", option=source)


def _place(kind: Kind, made: Object, source: str, wish: Wish) -> tuple[str, ...]:
    """Write the request to the Pod templates, and return warnings about the request."""
    if not wish:
        return ()
    templates = kind.templates(made, True)
    if not templates:
        raise Refused(f"{source}.spec: the job has no Pod template, so there is nothing to place.", option=source)
    placed = [each for each in templates if each.podset != kind.leader] or templates
    annotations = annotations_of(wish)
    for each in placed:
        if wish.slice_size and each.pods is not None and each.pods % wish.slice_size:
            why = f"there are {each.pods} {each.podset} Pods"
            refuse_option("slice_size", wish.slice_size, "a divisor of the number of Pods", why)
        _add(_metadata(each.body, source), "annotations", annotations, source, only=TOPOLOGY)
    if kind.everywhere:
        _add(made["metadata"], "annotations", annotations, source, only=TOPOLOGY)
    if len(placed) == len(templates):
        return ()
    names = ", ".join(each.podset for each in placed)
    leader = f"Their leader {kind.leader} may be in a different domain"
    return (f"The topology request applies only to the {names} Pods, as in AWS's guide. {leader}.",)


def _label_pods(kind: Kind, made: Object, source: str) -> None:
    """Label the Pod templates: task governance refuses Pods without the queue's label, and their owner would wait forever."""
    labels = {name: made["metadata"]["labels"][name] for name in (QUEUE, PRIORITY) if name in made["metadata"]["labels"]}
    for each in pod_templates(kind, made, make=True) if labels else ():
        _add(_metadata(each, source), "labels", labels, source)


def _metadata(template: Object, source: str) -> Object:
    template["metadata"] = _object(template, "metadata", source)
    return t.cast(Object, template["metadata"])


def _object(there: Object, name: str, source: str) -> Object:
    """The object in a field of a Pod template.

    :raises Refused: for a value that is not an object.
    """
    value = there.get(name)
    if value is not None and not isinstance(value, dict):
        refuse_option(f"{source}.{name} of a Pod template", value, "an object")
    return t.cast(Object, value or {})


def annotations_of(wish: Wish) -> dict[str, str]:
    found = {BY_MODE[wish.mode]: wish.level or "true"} if wish.mode else {}
    return {**found, SLICE: wish.slice_level, SIZE: str(wish.slice_size)} if wish.slice_level else found


def _add(meta: Object, name: str, wanted: t.Mapping[str, str], source: str, *, only: t.Container[str] = ()) -> None:
    """Add labels or annotations to the metadata of a job or a Pod template.

    :param only: names that exclude each other. The manifest must not have one of them that is not in ``wanted``.
    :raises Refused: if the manifest has different values.
    """
    there = meta.get(name) or {}
    if not isinstance(there, dict):
        refuse_option(f"{source}.metadata.{name}", there, "an object whose values are strings")
    for key, value in there.items():
        wrong = key in wanted and str(value) != wanted[key]
        if wrong or (key in only and key not in wanted):
            allowed = "no value in the manifest, or the same value as in the options"
            refuse_option(f"{source}.metadata.{name}", f"{key}: {value}", allowed, "the options request a different value")
    if wanted:
        meta[name] = {**there, **wanted}


def _no_selector(template: Template, podset: PodSet, source: str) -> None:
    """Refuse a node selector on the label of a layer, because Kueue must choose the domain. Source: HyperPod's guide."""
    selector = _object(_object(template.body, "spec", source), "nodeSelector", source)
    for level in filter(None, (podset.wish.level, podset.wish.slice_level)):
        if level in selector:
            why = f"the topology request for the {podset.name} Pods uses this label"
            refuse_option(f"{source}.nodeSelector", f"{level}: {selector[level]}", "either the node selector or the topology", why)
