# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML is bounded before anything is made of it."""

from __future__ import annotations

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes import yaml_text
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.yaml_text import NotYaml, document, documents


def bomb(levels: int) -> str:
    lines = [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels + 1)]
    return "\n".join(["a0: &a0 [x, x, x, x, x, x, x, x, x, x]", *lines])


def test_documents_without_the_empty_ones() -> None:
    assert documents("---\na: 1\n---\n---\n- b\n") == [{"a": 1}, ["b"]] and documents("") == []
    assert document("") is None and document("a: 1") == {"a": 1}
    with pytest.raises(NotYaml, match="it has 2 documents"):
        document("a: 1\n---\nb: 2")


@pytest.mark.parametrize("levels", [5, 9, 200])
def test_aliases_that_expand(levels: int) -> None:
    with pytest.raises(NotYaml, match="its aliases repeat more than 1024 KiB"):
        documents(bomb(levels))


def test_long_texts_that_aliases_repeat() -> None:
    text = "a: &a " + "x" * 100_000 + "\nb: [" + ",".join(["*a"] * 20) + "]"
    with pytest.raises(NotYaml, match="repeat more than"):
        documents(text)


def test_merged_objects_count_as_often_as_they_are_merged() -> None:
    lines = [f"a{n}: &a{n} {{<<: [{','.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 8)]
    with pytest.raises(NotYaml, match="repeat more than"):
        documents("\n".join(["a0: &a0 {x: 1}", *lines]))


@pytest.mark.parametrize("text", ["!!python/object/apply:os.system [id]", "{a: 1", "a: *unknown", "? [a]\n: b", "\x00", "%TAG"])
def test_text_that_is_no_yaml(text: str) -> None:
    with pytest.raises(NotYaml, match="it is not YAML"):
        documents(text)


def test_a_number_that_python_does_not_read() -> None:
    with pytest.raises(NotYaml, match="it has an invalid value"):
        documents("a: " + "9" * 100_000)


def test_the_largest_text() -> None:
    assert documents("# " + "x" * (yaml_text.LARGEST_TEXT - 2)) == []
    with pytest.raises(NotYaml, match="it is larger than 256 KiB"):
        documents("#" * (yaml_text.LARGEST_TEXT + 1))


def test_a_loader_of_the_callers() -> None:
    class Loud(yaml.SafeLoader):
        pass

    Loud.add_constructor("tag:yaml.org,2002:str", lambda loader, node: node.value.upper())
    assert document("a: b", loader=Loud) == {"A": "B"}


def test_the_largest_text_that_aliases_may_repeat() -> None:
    """A list of eight letters counts 17, 25 aliases of it 425, and what is around them 23."""
    text = f"a: &a [{','.join('x' * 8)}]\nb: [{','.join(['*a'] * 25)}]"
    assert len(documents(text, largest=448 // yaml_text.UNFOLDED)[0]["b"]) == 25
    with pytest.raises(NotYaml, match="repeat more than"):
        documents(text, largest=448 // yaml_text.UNFOLDED - 1)
