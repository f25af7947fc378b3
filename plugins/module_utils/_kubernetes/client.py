# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Requests to a Kubernetes API server through the raw API of the package ``kubernetes``, whose models lack custom kinds."""

from __future__ import annotations

import json
import re
import threading
import typing as t
import urllib.parse

try:
    from kubernetes.client import ApiException
    from kubernetes.client.rest import RESTClientObject
    from urllib3.exceptions import HTTPError

    HAS_KUBERNETES = True
except ImportError:  # connection.py reports it
    HAS_KUBERNETES = False

from .._core.failure import Failure
from .._core.text import printable

SECONDS = 60
"""The timeout of a request, in seconds."""
NOT_FOUND, CONFLICT, GONE, BUSY = 404, 409, 410, 429
JSON, MERGE_PATCH = "application/json", "application/merge-patch+json"
PAGE = 500
"""The number of items in one page of a listing."""
Object = dict[str, t.Any]
_WARNING = re.compile(r'\b299 \S+ "((?:[^"\\]|\\.)*)"')


class KubernetesError(Failure):
    """A failed request. The text names the request and why it failed. ``status``: the HTTP status, or 0 without a reply."""

    def __init__(self, text: str, status: int = 0) -> None:
        super().__init__(text)
        self.status = status

    @property
    def passes(self) -> bool:
        """Whether a later attempt may succeed."""
        return self.status in (0, BUSY) or self.status >= 500


class Kubernetes:
    """A connection to an API server.

    :param configuration: a ``kubernetes.client.Configuration``.
    :param login: the next step if the API server does not authenticate the caller, for the message.
    """

    def __init__(self, configuration: t.Any, login: str) -> None:
        self.configuration = configuration
        self.login = login
        self.rest: t.Any = RESTClientObject(configuration)

    def get(self, path: str) -> Object:
        """:raises KubernetesError:"""
        return self.call("GET", path)

    def find(self, path: str) -> Object | None:
        """The object, or None if it does not exist.

        :raises KubernetesError:
        """
        try:
            return self.get(path)
        except KubernetesError as error:
            if error.status == NOT_FOUND:
                return None
            raise

    def create(self, path: str, body: Object) -> Object:
        """:raises KubernetesError:"""
        return self.call("POST", path, body)

    def merge(self, path: str, body: Object) -> Object:
        """Send a JSON merge patch. Given values are set, None removes a value, and all other values stay.

        :raises KubernetesError:
        """
        return self.call("PATCH", path, body, kind=MERGE_PATCH)

    def merge_warned(self, path: str, body: Object) -> list[str]:
        """Do the same as ``merge``, and return the API server's warnings.

        :raises KubernetesError:
        """
        return _warnings(self._answered("PATCH", path, body, MERGE_PATCH)[1])

    def delete(self, path: str, body: Object | None = None) -> bool:
        """Delete the object, and return whether it existed. Finalizers can delay its removal.

        :param body: DeleteOptions.
        :raises KubernetesError:
        """
        try:
            self.call("DELETE", path, body)
        except KubernetesError as error:
            if error.status == NOT_FOUND:
                return False
            raise
        return True

    def items(self, path: str, **query: str) -> list[Object]:
        """All items of a listing, read page by page. If the pages expire, one request reads all items.

        :param query: such as ``labelSelector``.
        :raises KubernetesError:
        """
        try:
            found: list[Object] = []
            place = {"limit": str(PAGE)}
            while True:
                answer = self.get(_asking(path, {**query, **place}))
                found += answer.get("items") or []
                place["continue"] = answer.get("metadata", {}).get("continue") or ""
                if not place["continue"]:
                    return found
        except KubernetesError as error:
            if error.status != GONE:
                raise
        return list(self.get(_asking(path, query)).get("items") or [])

    def call(self, method: str, path: str, body: Object | str | None = None, *, kind: str = JSON) -> Object:
        """
        :param body: a text if the content type is not JSON.
        :raises KubernetesError: for a failed request.
        """
        return self._answered(method, path, body, kind)[0]

    def _answered(self, method: str, path: str, body: Object | str | None, kind: str) -> tuple[Object, t.Any]:
        """The reply, and the package's response object, which is None after an exception."""
        answer: t.Any = None
        headers = {"Accept": JSON, "Content-Type": kind, **self._credentials()}
        try:
            url = f"{self.configuration.host}{path}"
            answer = self.rest.request(method, url, headers=headers, body=body, _request_timeout=SECONDS)
            status, text = answer.status, answer.data if answer.data is not None else answer.read()
        except ApiException as error:  # raised by some releases of the package
            status, text = error.status or 0, error.body
            if not status:
                raise self._unanswered(method, path, error) from error
        except (HTTPError, OSError) as error:
            raise self._unanswered(method, path, error) from error
        if status >= 400:
            raise KubernetesError(f"{method} {path} was answered with {status}: {self._why(status, text)}", status)
        return dict(json.loads(text)), answer

    def text(self, path: str, *, most: int, seconds: float = SECONDS) -> str:
        """A reply that is not JSON, such as a log, limited in bytes and in time.

        :raises KubernetesError: for a failed request.
        """
        answers: list[tuple[int, bytes]] = []
        failed: list[Exception] = []

        def ask() -> None:
            try:
                answers.append(self._begin_of(path, most))
            except (HTTPError, OSError) as error:
                failed.append(error)

        asking = threading.Thread(target=ask, daemon=True)  # a slow server could block the read forever
        asking.start()
        asking.join(seconds)
        if not answers:
            error = failed[0] if failed else TimeoutError(f"no complete reply within {seconds:.0f} s")
            raise self._unanswered("GET", path, error) from error
        ((status, content),) = answers
        if status >= 300:
            raise KubernetesError(f"GET {path} was answered with {status}: {self._why(status, content)}", status)
        return content.decode(errors="replace")

    def _begin_of(self, path: str, most: int) -> tuple[int, bytes]:
        answer = self.rest.pool_manager.request(
            "GET",
            f"{self.configuration.host}{path}",
            headers={"Accept": "*/*", **self._credentials()},
            preload_content=False,
            redirect=False,
            timeout=SECONDS,
        )
        try:
            return answer.status, answer.read(most)
        finally:
            answer.close()  # discard the rest

    def _credentials(self) -> dict[str, str]:
        return {auth["key"]: auth["value"] for auth in self.configuration.auth_settings().values() if auth["in"] == "header"}

    def _why(self, status: int, text: str | bytes | None) -> str:
        if status == 401:
            return f"the API server did not authenticate the caller. {self.login}"
        try:
            message = str(json.loads(text or "{}").get("message", ""))
        except ValueError:
            message = ""
        return printable(message) or "the API server gave no reason."

    def _unanswered(self, method: str, path: str, error: Exception) -> KubernetesError:
        host = self.configuration.host
        return KubernetesError(
            f"{method} {path} got no reply from {host}: {printable(str(error))}. A private endpoint is reachable "
            "only from its VPC, or through a tunnel and a kubeconfig that names the tunnel."
        )


def _warnings(answer: t.Any) -> list[str]:
    """The texts of the ``Warning`` headers (RFC 7234). Releases of the package use different attributes for urllib3's response."""
    response = getattr(answer, "urllib3_response", None) or getattr(answer, "response", None)
    lines = response.headers.getlist("Warning") if response is not None else ()
    quoted = [text for line in lines for text in _WARNING.findall(line)]
    return [re.sub(r"\\(.)", r"\1", text) for text in quoted]


def _asking(path: str, query: t.Mapping[str, str]) -> str:
    return f"{path}?{urllib.parse.urlencode(query)}" if query else path
