# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Checks that the installed release of the Python package ``kubernetes`` can authenticate."""

from __future__ import annotations

import typing as t

try:
    import kubernetes
except ImportError:  # HAS_KUBERNETES of client.py reports it
    pass

from .._core.failure import Failure

REFUSED = {"36.0.0": 2582, "36.0.1": 2582}
"""Releases that send requests without credentials, each with its issue in kubernetes-client/python."""
_OTHERS = "Install a different release: pip install 'kubernetes>=24.2" + "".join(f",!={each}" for each in REFUSED) + "'."


def check_release() -> None:
    """:raises Failure: for a release that is known to send no credentials."""
    version = kubernetes.__version__
    if version in REFUSED:
        issue = f"kubernetes-client/python issue {REFUSED[version]}"
        raise Failure(f"The Python package kubernetes {version} sends no credentials to the API server ({issue}). {_OTHERS}")


def check_header(configuration: t.Any) -> None:
    """Check that requests have the token: the keys of ``api_key`` that become headers differ between releases.

    :param configuration: a ``kubernetes.client.Configuration``.
    :raises Failure: if requests would be sent without the token.
    """
    headers = [each["key"].lower() for each in configuration.auth_settings().values() if each["in"] == "header"]
    if configuration.api_key and "authorization" not in headers:
        version = kubernetes.__version__
        raise Failure(f"The Python package kubernetes {version} sends no Authorization header for the caller's token. {_OTHERS}")
