# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired image from a module's options, and reads the build context."""

from __future__ import annotations

import os
import re
import typing as t

from ..._core.checks import check_length, check_number
from ..._core.failure import refuse_option
from . import containerfile, context
from .model import SOURCE, Desired, Source
from .registries import region_of

LONGEST_TIMEOUT = 39600
"""Seconds. A token of ECR expires after 12 hours, and one from the start of the module must be valid for the push."""
NAMES = ("Containerfile", "Dockerfile")
_REPOSITORY = re.compile(r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_ARGUMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for an invalid option, and for a build context that can't be read."""
    repository, tag = params["repository"], params["tag"]
    if not _REPOSITORY.fullmatch(repository) or len(repository) < 2 or region_of(repository.partition("/")[0]):
        refuse_option("repository", repository, "the name of a repository such as training/llama, without registry and tag")
    check_length("repository", repository, 256)
    if not _TAG.fullmatch(tag) or tag.startswith(SOURCE):
        allowed = f"1 to 128 letters, digits, and . _ -, beginning with a letter, a digit or _, and not with {SOURCE}"
        refuse_option("tag", tag, allowed)
    return Desired(
        repository,
        tag,
        source(params),
        timeout=check_number("timeout", params["timeout"], 1, LONGEST_TIMEOUT),
        scan_timeout=check_number("scan_timeout", params["scan_timeout"], 0, 86400),
    )


def source(params: t.Mapping[str, t.Any]) -> Source:
    """Everything that determines the build, as it is on disk now."""
    folder, platform = params["context"], params["platform"]
    if not os.path.isabs(folder) or not os.path.isdir(folder):
        refuse_option("context", folder, "the absolute path of a folder")
    build_args = {name: _argument(name, value) for name, value in (params["build_args"] or {}).items()}
    name = _containerfile(folder, params["containerfile"])
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as stream:
            text = stream.read()
    except (OSError, UnicodeDecodeError) as error:
        refuse_option("containerfile", name, "a text file that can be read", str(getattr(error, "strerror", "") or error))
    images = containerfile.base_images(text, build_args, platform)
    return Source(folder, name, build_args, platform, images, context.digest(folder, name, build_args, platform))


def _containerfile(folder: str, given: str | None) -> str:
    if given is None:
        found = [name for name in NAMES if os.path.isfile(os.path.join(folder, name))]
        if len(found) != 1:
            why = "both Containerfile and Dockerfile" if found else "neither Containerfile nor Dockerfile"
            refuse_option("containerfile", None, "the path of a file in the context", f"the context has {why}")
        return found[0]
    real, base = os.path.realpath(os.path.join(folder, given)), os.path.realpath(folder)
    if os.path.isabs(given) or os.path.commonpath([real, base]) != base or not os.path.isfile(real):
        refuse_option("containerfile", given, "the path of a file in the context, relative to the context")
    return os.path.normpath(given)


def _argument(name: str, value: t.Any) -> str:
    if not _ARGUMENT.fullmatch(name):
        refuse_option("build_args", name, "names of letters, digits and _")
    if not isinstance(value, (str, int, float)) or isinstance(value, bool):
        refuse_option(f"build_args.{name}", value, "a string or a number")
    return str(value)
