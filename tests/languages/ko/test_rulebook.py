"""Every example of the rulebook is a test; the docs follow the file; mistakes in it are told in one sentence."""

import unicodedata

import pytest
import yaml

from stages.core.errors import UserError
from stages.core.paths import ROOT
from stages.languages.ko import docs, rulebook
from stages.languages.ko.examples import examples
from stages.languages.ko.reader import Reader
from tests.languages.ko.conftest import applied

TREE = rulebook.parse(rulebook.DEFAULT.read_bytes(), rulebook.DEFAULT)
EXAMPLES = list(examples(TREE))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example.rule_id}:{example.written[:30]}")
def test_example_reads_as_written_in_the_rulebook(ko, example):
    reading = ko.read(example.written)
    assert reading.text == example.spoken
    assert ko.read(reading.text).text == reading.text, "not a fixpoint"
    assert applied(unicodedata.normalize("NFC", example.written), reading.changes) == reading.text


def test_every_rule_has_an_example_and_a_reason():
    for rule in TREE["rules"]:
        assert rule["examples"], rule["id"]
        assert all(rule[key] for key in ("when", "why")), rule["id"]
        assert rule["decided_by"]["date"], rule["id"]
        assert rule["category"] in TREE["categories"], rule["id"]


def test_rule_ids_are_unique():
    ids = [rule["id"] for rule in TREE["rules"]]
    assert len(ids) == len(set(ids))


def test_an_example_of_a_rule_is_read_by_that_rule(ko):
    """Most are: a rule whose examples other rules read would be dead. Counts the rules that no example reaches."""
    reached = set()
    for example in EXAMPLES:
        reached |= {change.rule_id for change in ko.read(example.written).changes}
    # Rules that hand over to code report what the code found.
    handing = {rule["id"] for rule in TREE["rules"] if rule["do"].startswith("call:")}
    dead = [rule["id"] for rule in TREE["rules"] if rule["id"] not in reached | handing]
    assert not dead


def test_eleven_categories_have_rules():
    assert len(TREE["categories"]) == 11
    assert {rule["category"] for rule in TREE["rules"]} | {"counters"} == set(TREE["categories"])


def test_several_hundred_counters_and_units():
    assert sum(len(group["words"]) for group in TREE["counters"]) > 450
    assert sum(len(group["symbols"]) for group in TREE["units"]) > 200


def test_docs_follow_the_rulebook():
    assert docs.PAGE.read_text("utf-8") == docs.page(TREE), "run: python -m stages.languages.ko.docs"


def test_compiled_form_is_found_again_and_a_broken_one_is_made_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHFERRY_CACHE", str(tmp_path))
    first = rulebook.load()
    (stored,) = (tmp_path / "rulebooks").glob("*.json")
    assert rulebook.load() == first
    stored.write_text("{ broken")
    assert rulebook.load() == first


def test_reads_without_a_writable_cache(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("BENCHFERRY_CACHE", str(blocked / "below"))
    assert Reader().read("3개").text == "세 개"


def _broken(tmp_path, change):
    tree = yaml.safe_load(rulebook.DEFAULT.read_text("utf-8"))
    change(tree)
    path = tmp_path / "broken.yaml"
    path.write_text(yaml.safe_dump(tree, allow_unicode=True), "utf-8")
    return path


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda tree: tree["rules"][0].update(pattern="("), "regular expression"),
        (lambda tree: tree["rules"][0].update(pattern="{nowhere}"), "nowhere"),
        (lambda tree: tree["rules"][0].update(wehn="x"), "'when'"),
        (lambda tree: tree["rules"][0].pop("why"), "lacks 'why'"),
        (lambda tree: tree["rules"][0].update(at="digits"), "digits"),
        (lambda tree: tree["rules"][0].update(category="number"), "'numbers'"),
        (lambda tree: tree["lexical"].update({7080: "x"}), "quotes"),
        (lambda tree: tree["counters"][1]["words"].update({"개": "개 → 개"}), "개"),
    ],
)
def test_a_mistake_in_the_rulebook_is_one_sentence(tmp_path, change, words):
    with pytest.raises(UserError, match=words):
        rulebook.load(_broken(tmp_path, change))


def test_an_unknown_filter_is_named(tmp_path):
    path = _broken(tmp_path, lambda tree: next(rule for rule in tree["rules"] if rule["id"] == "jamo.range").update(do="{a:jamoo}"))
    with pytest.raises(UserError, match=r"jamoo.*jamo"):
        Reader(path)


def test_an_unknown_call_is_named(tmp_path):
    path = _broken(tmp_path, lambda tree: tree["rules"][0].update(do="call: mentoin"))
    with pytest.raises(UserError, match=r"mentoin.*mention"):
        Reader(path)


def test_every_list_is_used():
    text = rulebook.DEFAULT.read_text("utf-8")
    in_code = {"unit_alone", "caps_words"}
    assert [name for name in TREE["lists"] if f"{{{name}}}" not in text and name not in in_code] == []


@pytest.mark.parametrize("content", ["a: [", "- a list", "nothing: here"])
def test_a_file_that_is_no_rulebook(tmp_path, content):
    path = tmp_path / "x.yaml"
    path.write_text(content)
    with pytest.raises(UserError):
        rulebook.load(path)


def test_a_missing_rulebook(tmp_path):
    with pytest.raises(UserError, match="exists"):
        rulebook.load(tmp_path / "none.yaml")


def test_rulebook_of_the_language_lies_where_the_config_says(ko):
    config = yaml.safe_load((ROOT / "conf/language/ko.yaml").read_text("utf-8"))
    assert ROOT / config["rulebooks"]["normalization"] == rulebook.DEFAULT
    assert (config["code"], config["name"]) == (ko.code, ko.name)
