# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a report as JUnit for build servers. No I/O."""

from __future__ import annotations

import re
import typing as t
from xml.etree import ElementTree

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def add_suite(root: ElementTree.Element, name: str, *, timestamp: str = "") -> ElementTree.Element:
    suite = ElementTree.SubElement(root, "testsuite", name=xml(name))
    if timestamp:
        suite.set("timestamp", timestamp)
    return suite


def add_case(
    suite: ElementTree.Element, of: str, name: str, problem: str = "", *, kind: str = "", message: str = "", text: str = ""
) -> None:
    """Add a test case. ``problem``: ``failure`` for a wrong result, ``error`` for an unknown one, empty if the case passed."""
    case = ElementTree.SubElement(suite, "testcase", classname=xml(of), name=xml(name))
    if problem:
        element = ElementTree.SubElement(case, problem, type=kind, message=xml(message))
        element.text = xml(text) or None


def counted(root: ElementTree.Element) -> str:
    """The XML document, with the number of test cases in each suite and in total."""
    for suite in root:
        _count(suite, of=(suite,))
    _count(root, of=root)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def xml(text: str) -> str:
    return _NOT_XML.sub("?", text)


def _count(element: ElementTree.Element, *, of: t.Iterable[ElementTree.Element]) -> None:
    cases = [case for suite in of for case in suite]
    element.set("tests", str(len(cases)))
    element.set("failures", str(len([case for case in cases if case.find("failure") is not None])))
    element.set("errors", str(len([case for case in cases if case.find("error") is not None])))
