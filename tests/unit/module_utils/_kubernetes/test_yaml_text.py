# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The size of YAML is limited before it is parsed."""

from __future__ import annotations

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.json_text import NotJson
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes import yaml_text
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.yaml_text import (
    NotYaml,
    document,
    documents,
    written,
)


def bomb(levels: int) -> str:
    lines = [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels + 1)]
    return "\n".join(["a0: &a0 [x, x, x, x, x, x, x, x, x, x]", *lines])


def test_empty_documents_are_skipped() -> None:
    assert documents("---\na: 1\n---\n---\n- b\n") == [{"a": 1}, ["b"]] and documents("") == []
    assert document("") is None and document("a: 1") == {"a": 1}
    with pytest.raises(NotYaml, match="it has 2 documents"):
        document("a: 1\n---\nb: 2")


@pytest.mark.parametrize("levels", [5, 9, 200])
def test_expanding_aliases_are_refused(levels: int) -> None:
    with pytest.raises(NotYaml, match="it is larger than 1024 KiB after its aliases are expanded"):
        documents(bomb(levels))


def test_long_texts_repeated_by_aliases_are_refused() -> None:
    text = "a: &a " + "x" * 100_000 + "\nb: [" + ",".join(["*a"] * 20) + "]"
    with pytest.raises(NotYaml, match="it is larger than [0-9]+ KiB after its aliases are expanded"):
        documents(text)


def test_merged_objects_count_as_often_as_they_are_merged() -> None:
    lines = [f"a{n}: &a{n} {{<<: [{','.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 8)]
    with pytest.raises(NotYaml, match="it is larger than [0-9]+ KiB after its aliases are expanded"):
        documents("\n".join(["a0: &a0 {x: 1}", *lines]))


@pytest.mark.parametrize("text", ["{a: 1", "a: *unknown", "? [a]\n: b", "\x00", "%TAG"])
def test_text_that_is_no_yaml_is_refused(text: str) -> None:
    with pytest.raises(NotYaml, match="it is not YAML"):
        documents(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: x\x01", "it is not YAML (line 2): it has the character U+0001, which YAML does not allow"),
        ("\x00", "it is not YAML (line 1): it has the character U+0000, which YAML does not allow"),
        ("a:\n\n- \ufffe\n", "it is not YAML (line 3): it has the character U+FFFE, which YAML does not allow"),
        ("a: \ud800", "it is not YAML (line 1): it has the character U+D800, which YAML does not allow"),
    ],
)
def test_forbidden_characters_are_refused(text: str, message: str) -> None:
    with pytest.raises(NotYaml) as refused:
        documents(text)
    assert str(refused.value) == message


LONG = "x" * 500


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "it has the key a twice (line 3)"),
        ("kind: Job\nspec:\n  jobs:\n  - {name: a}\n  - {name: a, name: b}\n", "it has the key spec.jobs[1].name twice (line 5)"),
        ('a: 1\n"a": 2\n', "it has the key a twice (line 2)"),
        ("1: a\n0x1: b\n", "it has the key 0x1 twice (line 2)"),
        ("yes: a\ntrue: b\n", "it has the key true twice (line 2)"),
        ("a: 1\n---\nb: 1\nb: 1\n", "it has the key b twice (line 4)"),
        ("a: &a {c: 1, c: 2}\nb: *a\n", "it has the key a.c twice (line 1)"),
        ('"a\\e": 1\n"a\\e": 2\n', "it has the key a? twice (line 2)"),
        ("'': 1\n'': 2\n", 'it has the key "" twice (line 2)'),
        (f"{LONG}: 1\n{LONG}: 2\n", f"it has the key …{LONG[:200]} twice (line 2)"),
    ],
    ids=lambda value: value[-30:],
)
def test_a_duplicate_key_is_refused(text: str, message: str) -> None:
    """Only for files of users: answers of programs are read as they are."""
    with pytest.raises(NotYaml) as refused:
        documents(text, unique=True)
    assert str(refused.value) == message and documents(text)
    with pytest.raises(NotYaml) as refused:
        written(text, "job.yaml")
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: &a {x: 1}\nb: {<<: *a, x: 2}\n", {"a": {"x": 1}, "b": {"x": 2}}),
        ("a: &a {x: 1}\nb: &b {y: 1}\nc: {<<: *a, <<: *b}\n", {"a": {"x": 1}, "b": {"y": 1}, "c": {"x": 1, "y": 1}}),
        ("a: &a {x: 1}\nb: &b {<<: *a, x: 2}\nc: {<<: *b, x: 3}\n", {"a": {"x": 1}, "b": {"x": 2}, "c": {"x": 3}}),
        ('1: a\n"1": b\n', {1: "a", "1": "b"}),
        ("- a: 1\n- a: 1\n", [{"a": 1}, {"a": 1}]),
    ],
)
def test_merged_keys_are_no_duplicates(text: str, value: object) -> None:
    assert written(text, "job.yaml") == [value]


def test_json_with_a_duplicate_key_is_refused_for_any_file_name() -> None:
    text = '{\n\t"a": {"b": 1,\n\t"b": 2}}'
    with pytest.raises(NotYaml, match=r"^it has the key a\.b twice \(line 3\)$"):
        written(text, "job.yaml")
    with pytest.raises(NotJson, match=r"^line 3, a\.b: the key is not unique$"):
        written(text, "job.json")


def test_a_number_that_python_cannot_parse_is_refused() -> None:
    with pytest.raises(NotYaml, match="it has an invalid value"):
        documents("a: " + "9" * 100_000)


@pytest.mark.parametrize(
    "text",
    ["2024-01-01T00:00:00Z", "2024-01-01 00:00:00", "2024-01-01", "2024-02-30", "12:30:45", "-1:30", "1:30.5", "+12:30:45.25", "=", "0o17", "12:30 "],
)
def test_scalars_that_json_lacks_stay_text(text: str) -> None:
    assert document(f"a: {text}\n{text.strip()}: 1") == {"a": text.strip(), text.strip(): 1}


@pytest.mark.parametrize(
    ("text", "value"), [("017", 15), ("0x1f", 31), ("1_000", 1000), ("1.5", 1.5), ("yes", True), ("~", None), ("!!str 1", "1"), ('!!int "3"', 3)]
)
def test_other_scalars_have_their_value(text: str, value: object) -> None:
    assert document(f"a: {text}") == {"a": value}


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("!!set {x, y}", "!!set"),
        ("!!binary aGk=", "!!binary"),
        ("!!timestamp 2024-01-01", "!!timestamp"),
        ("!!omap [x: 1]", "!!omap"),
        ("!!pairs [x: 1]", "!!pairs"),
        ("!!python/object/apply:os.system [id]", "!!python/object/apply:os.system"),
        ("!own x", "!own"),
        ("!!int 1:30", "!!int"),
        ("!!float 1:30.5", "!!float"),
    ],
)
def test_tags_without_a_value_in_json_are_refused(text: str, tag: str) -> None:
    with pytest.raises(NotYaml) as refused:
        documents(f"a:\n  {text}")
    assert str(refused.value).startswith(f"it has the tag {tag}") and str(refused.value).endswith("(line 2), for which JSON has no value")
    assert str(refused.value).isprintable()


def test_the_size_of_a_text_is_limited() -> None:
    assert documents("# " + "x" * (yaml_text.LARGEST_TEXT - 2)) == []
    with pytest.raises(NotYaml, match="it is larger than 256 KiB"):
        documents("#" * (yaml_text.LARGEST_TEXT + 1))


def test_the_caller_may_supply_a_loader() -> None:
    class Loud(yaml.SafeLoader):
        pass

    Loud.add_constructor("tag:yaml.org,2002:str", lambda loader, node: node.value.upper())
    assert document("a: b", loader=Loud) == {"A": "B"}


def test_the_size_of_texts_repeated_by_aliases_is_limited() -> None:
    """A list of eight letters counts 17, its 25 aliases 425, and the surrounding document 23."""
    text = f"a: &a [{','.join('x' * 8)}]\nb: [{','.join(['*a'] * 25)}]"
    assert len(documents(text, largest=448 // yaml_text.UNFOLDED)[0]["b"]) == 25
    with pytest.raises(NotYaml, match="it is larger than [0-9]+ KiB after its aliases are expanded"):
        documents(text, largest=448 // yaml_text.UNFOLDED - 1)
