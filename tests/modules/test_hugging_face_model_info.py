# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""hugging_face_model_info against a stand-in for the Hub: one request, and the token in no result."""

from __future__ import annotations

import json
import os
import typing as t

import pytest
from lab.training.model_hub import ACCEPTED, Hub
from simulated.shape import reads

TOKEN = "hf_secret_value"
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")


@pytest.fixture
def hub() -> t.Iterator[Hub]:
    with Hub(TOKEN) as hub:
        yield hub


@pytest.mark.parametrize("check", [False, True])
def test_one_request_without_a_download_finds_the_access(node: t.Any, hub: Hub, check: bool) -> None:
    done = reads(node, "hugging_face_model_info", check=check, model=ACCEPTED, endpoint=hub.url, token=TOKEN)
    assert (done["hugging_face_model"]["access"], done["changed"]) == ("granted", False), done
    assert hub.requests == [("HEAD", f"/{ACCEPTED}/resolve/main/config.json")]
    assert TOKEN not in json.dumps({name: value for name, value in done.items() if name != "invocation"})


@pytest.mark.parametrize(
    ("model", "token", "access"), [("a/gated", TOKEN, "forbidden"), (ACCEPTED, "hf_other_value", "unauthorized"), (ACCEPTED, None, "unauthorized")]
)
def test_missing_access_is_no_failure(node: t.Any, hub: Hub, model: str, token: str | None, access: str) -> None:
    done = node.run("hugging_face_model_info", model=model, endpoint=hub.url, token=token)
    assert not done.get("failed") and done["hugging_face_model"]["access"] == access, done


def test_a_redirect_is_not_followed_with_the_token(node: t.Any, hub: Hub) -> None:
    done = node.run("hugging_face_model_info", model="a/moved", endpoint=hub.url, token=TOKEN)
    assert done["hugging_face_model"]["access"] == "granted" and len(hub.requests) == 1, (done, hub.requests)


def test_without_a_reply_the_access_is_unknown(node: t.Any) -> None:
    with Hub(TOKEN) as gone:
        pass
    done = node.run("hugging_face_model_info", model=ACCEPTED, endpoint=gone.url, token=TOKEN)
    assert done["hugging_face_model"]["access"] == "unknown" and "refused" in done["hugging_face_model"]["text"], done


def test_a_token_is_not_sent_without_tls(node: t.Any) -> None:
    refused = node.run("hugging_face_model_info", model=ACCEPTED, endpoint="http://hub.example.com", token=TOKEN)
    assert refused["failed"] and "the token would be sent without encryption" in refused["msg"], refused
