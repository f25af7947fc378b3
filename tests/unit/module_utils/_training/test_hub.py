# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The access to a model, from the options to the result. tests/modules sends real requests."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.hub import Desired, Reply, desired, reply, to_result
from lab.training.model_hub import ACCEPTED, Hub

HUB, MODEL, TOKEN = "https://hub.example.com", "meta-llama/Llama-2-7b-hf", "hf_secret_value"
GIVEN = {"model": MODEL, "endpoint": HUB, "token": None, "timeout": 30}


@pytest.mark.parametrize("endpoint", [HUB, f"{HUB}/"])
def test_a_file_of_the_model_is_requested(endpoint: str) -> None:
    assert desired({**GIVEN, "endpoint": endpoint}).url == "https://hub.example.com/meta-llama/Llama-2-7b-hf/resolve/main/config.json"


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"token": TOKEN},
        {"endpoint": "http://mirror:8080"},
        {"endpoint": "http://127.0.0.1:8080", "token": TOKEN},
        {"endpoint": "http://localhost", "token": TOKEN},
    ],
)
def test_valid_options_are_accepted(given: dict[str, t.Any]) -> None:
    assert TOKEN not in repr(desired({**GIVEN, **given}))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"model": "no-owner"}, "model: 'no-owner' is not allowed. Allowed: OWNER/NAME of a model."),
        ({"model": "a/../b"}, "model: 'a/../b' is not allowed"),
        ({"model": "a/b?x=1"}, "model: 'a/b?x=1' is not allowed"),
        ({"endpoint": "ftp://x"}, "endpoint: 'ftp://x' is not allowed. Allowed: an http or https URL of at most 255 characters."),
        ({"endpoint": "https://user@x"}, "endpoint: 'https://user@x' is not allowed"),
        ({"endpoint": "http://hub", "token": TOKEN}, "endpoint: 'http://hub' is not allowed: the token would be sent without encryption"),
        ({"endpoint": "http://localhost.evil", "token": TOKEN}, "endpoint: 'http://localhost.evil' is not allowed"),
        ({"token": "a b c d e f"}, "token: a text of 11 characters is not allowed. Allowed: 8 to 512 visible ASCII characters."),
        ({"timeout": 0}, "timeout: 0 is not allowed. Allowed: 1 to 300."),
    ],
)
def test_invalid_options_are_refused(given: dict[str, t.Any], message: str) -> None:
    with pytest.raises(Refused) as refused:
        desired({**GIVEN, **given})
    assert str(refused.value).startswith(message) and TOKEN not in str(refused.value), refused.value


@pytest.mark.parametrize(
    ("reply", "access", "text"),
    [
        (Reply(200), "granted", "https://hub.example.com serves the files of meta-llama/Llama-2-7b-hf."),
        (Reply(302), "granted", "serves the files"),
        (Reply(307), "granted", "serves the files"),
        (Reply(401), "unauthorized", "https://hub.example.com requires a valid token for meta-llama/Llama-2-7b-hf."),
        (Reply(403), "forbidden", "The token has no access to meta-llama/Llama-2-7b-hf. Request the access on the page"),
        (Reply(404), "missing", "https://hub.example.com has no config.json for meta-llama/Llama-2-7b-hf."),
        (Reply(301), "unknown", "HTTP status 301"),
        (Reply(429), "unknown", "HTTP status 429"),
        (Reply(500), "unknown", "is unknown: HTTP status 500. Check the URL"),
        (Reply(0, "timed {out}."), "unknown", "is unknown: timed (out). Check the URL"),
        (Reply(0), "unknown", "is unknown: no reply. Check the URL"),
    ],
)
def test_each_reply_has_a_result(reply: Reply, access: str, text: str) -> None:
    found = to_result(Desired(MODEL, HUB), reply)
    assert (found["model"], found["endpoint"], found["access"]) == (MODEL, HUB, access) and text in found["text"], found


def test_no_proxy_sees_a_token_without_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    with Hub(TOKEN) as hub, Hub("other") as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("no_proxy", "")
        assert reply(Desired(ACCEPTED, hub.url, TOKEN)) == Reply(200) and proxy.requests == []


def test_a_netrc_file_does_not_replace_the_token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login a password b\n")
    (tmp_path / "netrc").chmod(0o600)
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with Hub(TOKEN) as hub:
        assert reply(Desired(ACCEPTED, hub.url, TOKEN)) == Reply(200)
