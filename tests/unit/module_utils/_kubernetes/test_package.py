# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Releases of the Python package ``kubernetes`` that send no credentials."""

from __future__ import annotations

import types
import typing as t

import kubernetes
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.package import check_header, check_release

INSTALL = "Install a different release: pip install 'kubernetes>=24.2,!=36.0.0,!=36.0.1'."


@pytest.mark.parametrize(("version", "refused"), [("36.0.0", True), ("36.0.1", True), ("36.0.2", False), ("35.0.0", False)])
def test_releases_without_credentials_are_refused(monkeypatch: pytest.MonkeyPatch, version: str, refused: bool) -> None:
    monkeypatch.setattr(kubernetes, "__version__", version)
    if refused:
        with pytest.raises(Failure) as error:
            check_release()
        issue = "(kubernetes-client/python issue 2582)"
        assert str(error.value) == f"The Python package kubernetes {version} sends no credentials to the API server {issue}. {INSTALL}"
    else:
        check_release()


@pytest.mark.parametrize(
    ("key", "settings", "refused"),
    [
        ({"authorization": "token"}, {"a": {"in": "header", "key": "authorization"}}, False),
        ({"authorization": "token"}, {"a": {"in": "header", "key": "Authorization"}}, False),
        ({"authorization": "token"}, {"a": {"in": "query", "key": "authorization"}}, True),
        ({"authorization": "token"}, {"a": {"in": "header", "key": "other"}}, True),
        ({"authorization": "token"}, {}, True),
        ({}, {}, False),
    ],
)
def test_a_token_that_requests_would_not_carry(monkeypatch: pytest.MonkeyPatch, key: t.Any, settings: t.Any, refused: bool) -> None:
    monkeypatch.setattr(kubernetes, "__version__", "37.0.0")
    configuration = types.SimpleNamespace(api_key=key, auth_settings=lambda: settings)
    if refused:
        with pytest.raises(Failure, match="kubernetes 37.0.0 sends no Authorization header for the caller's token. Install a different release"):
            check_header(configuration)
    else:
        check_header(configuration)
