# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.containerfile import base_images

BASE = "763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch:2.12"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"FROM {BASE}\n", [BASE]),
        (f"from --platform=$BUILDPLATFORM {BASE} as a\nFROM A\n", [BASE]),
        ("FROM scratch\n", []),
        ("ARG BASE\nFROM $BASE\n", ["given"]),
        ("ARG BASE=default\nFROM ${BASE}\n", ["given"]),
        ("ARG OTHER=default\nFROM ${OTHER}\n", ["default"]),
        ("ARG TAG=1\nARG OTHER=\"a:$TAG\"\nFROM $OTHER\n", ["a:1"]),
        ("ARG A=1 B='2'\nFROM x:$A$B\n", ["x:12"]),
        ("FROM ${MISSING:-fallback}\n", ["fallback"]),
        ("ARG EMPTY=\nFROM ${EMPTY:-fallback}\n", ["fallback"]),
        ("ARG SET=1\nFROM a${SET:+b}${MISSING:+c}\n", ["ab"]),
        ("FROM x:$TARGETARCH-$TARGETOS\n", ["x:amd64-linux"]),
        ("FROM a AS one\nFROM b\nCOPY --from=one /a /a\nCOPY --chown=1 --from=c /a /a\nCOPY --from=0 /a /a\n", ["a", "b", "c"]),
        ("FROM a\nRUN --mount=type=bind,from=b,target=/b --mount=from=c true\n", ["a", "b", "c"]),
        ("FROM a\nRUN echo --from=b --mount=from=b\nCOPY x --from=c\n", ["a"]),
        ("FROM a\nRUN echo \\\n  # comment\n\n  FROM b\n", ["a"]),
        ("FROM a\nRUN <<EOF\nFROM b\nEOF\nFROM c\n", ["a", "c"]),
        ("FROM a\nRUN <<-'EOF' cat\nFROM b\n\tEOF\nFROM c\n", ["a", "c"]),
        ("FROM a\nRUN echo <<EOF\nFROM b\n", ["a", "b"]),
        ("# escape=`\nFROM a\nRUN dir `\n FROM b\nRUN dir c:\\\nFROM c\n", ["a", "c"]),
        ("# syntax=docker/dockerfile:1\n# escape=`\nFROM a`\nb\n", ["ab"]),
        ("\ufeffFROM a\r\nFROM a\r\n", ["a"]),
        ("FROM a\nARG BASE=other\nFROM b\n", ["a", "b"]),
    ],
)  # fmt: skip
def test_images(text: str, expected: list[str]) -> None:
    assert base_images(text, {"BASE": "given"}, "linux/amd64") == tuple(expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("FROM $MISSING\n", r"'\$MISSING' is not allowed. Allowed: variables with a value: set build_args.MISSING"),
        ("FROM a\nARG LATE=b\nFROM $LATE\n", "LATE"),
        ("RUN true\n", "a file with the instruction FROM"),
        ("", "a file with the instruction FROM"),
        ("FROM --platform=linux/amd64\n", "FROM with an image"),
        ("ARG A='b\nFROM a\n", "ARG NAME=VALUE"),
    ],
)
def test_refusals(text: str, message: str) -> None:
    with pytest.raises(Refused, match=message):
        base_images(text, {}, "linux/amd64")
