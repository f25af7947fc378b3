# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A token of Hugging Face, which the processes of a job read from a file. No message contains the token.

Source of the variables: the reference of huggingface_hub, "Environment variables".
"""

from __future__ import annotations

import re
import typing as t

from ..._core.failure import Refused, refusal_text

FOLDER, FILE = "/mlfleet-token", "token"
"""The place of the file in the container."""
VARIABLE = "HF_TOKEN_PATH"
"""The variable from which huggingface_hub reads the path of the file."""
IN_ENVIRONMENT = frozenset({"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", VARIABLE})
"""Variables that contain a token, or that would replace the path of the file."""
TOKEN = re.compile(r"[!-~]{8,512}")
ALLOWED = "8 to 512 visible ASCII characters"


def checked(params: t.Mapping[str, t.Any]) -> str:
    """The token; empty for none.

    :raises Refused: for an invalid token, or for a token in an option that is visible in the objects of the job.
    """
    found = str(params["hugging_face_token"] or "")
    for option, text in problems(found, {"arguments": params["arguments"], "environment": params["environment"].values()}):
        raise Refused(text, option=option) from None
    return found


def problems(
    token: str, visible: t.Mapping[str, t.Iterable[t.Any]], option: str = "hugging_face_token"
) -> t.Iterator[tuple[str, str]]:
    """The options with a problem, each with a sentence.

    :param visible: values that anyone who can read the job's objects sees, keyed by the name of their option.
    :param option: the name of the token's option.
    """
    if token and not TOKEN.fullmatch(token):
        yield option, refusal_text(option, f"a text of {len(token)} characters", ALLOWED)
        return
    for name, values in visible.items():
        if token and any(token in str(each) for each in values):
            step = f"The program must read the token from the file that {VARIABLE} names"
            yield name, f"{name}: contains {option}, which must stay secret. {step}."
