"""The desk in a real browser, used by its keys as a person would."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stages.core import files
from stages.review import decisions, queue
from stages.review.desk.server import font_path
from tests.review.desk import builds
from tests.review.desk.builds import DISAGREEMENT, HOSTILE, ITEM, LISTEN, QUESTION, WORD_ORDER, WRITE
from tests.review.desk.conftest import Server

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1400,1000",
    "--mute-audio",
]

NO_KOREAN_FONT = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>"""


def chromium(profile: Path, env: dict[str, str] | None = None) -> Any:
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium (the extra `test`)")
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not binary or not driver:
        pytest.skip("needs a browser: apt-get install chromium chromium-driver")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(driver, env=env))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    running = chromium(tmp_path_factory.mktemp("profile"))
    yield running
    running.quit()


class Person:
    """Someone at the desk, in one window of the browser."""

    def __init__(self, browser: Any, server: Server, name: str = "kim") -> None:
        self.browser, self.server = browser, server
        browser.get(server.url)
        self.window = browser.current_window_handle
        self.find("dialog input").send_keys(name)
        self.press("\ue007", into="dialog input")
        self.wait(lambda: self.texts("article h1"), "an entry or an empty desk")

    def find(self, selector: str) -> Any:
        return self.wait(lambda: next(iter(self.browser.find_elements("css selector", selector)), None), selector)

    def texts(self, selector: str) -> list[str]:
        return [str(text) for text in self.script("return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText)", selector)]

    def text(self, selector: str) -> str:
        self.find(selector)
        return self.texts(selector)[0]

    def script(self, code: str, *values: Any) -> Any:
        return self.browser.execute_script(code, *values)

    def press(self, keys: str, into: str = "body") -> None:
        self.wait(lambda: self.find(into).send_keys(keys) or True, f"{into} to hold still")

    def click(self, selector: str) -> None:
        self.wait(lambda: self.find(selector).click() or True, f"{selector} to hold still")

    def wait(self, condition: Callable[[], Any], what: str, seconds: float = 20.0) -> Any:
        from selenium.common.exceptions import StaleElementReferenceException

        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(StaleElementReferenceException):
                found = condition()
                if found:
                    return found
            time.sleep(0.05)
        raise AssertionError(f"waited {seconds} s for {what}; the page says: {self.texts('body')[0][:800]}")

    def write(self, text: str, into: str) -> None:
        """Replace what stands in a field."""

        def go() -> bool:
            field = self.find(into)
            field.clear()
            field.send_keys(text)
            return True

        self.wait(go, f"{into} to hold still")

    def holds(self, selector: str, text: str) -> None:
        self.wait(lambda: self.script("return document.querySelector(arguments[0])?.value", selector) == text, f"{selector} to hold {text!r}")

    def open(self, id: str) -> None:
        kind = id.split(":")[0]
        self.click(f'[data-kind="{kind}"]')
        self.wait(
            lambda: self.script("return document.querySelector(arguments[0])?.getAttribute('aria-pressed')", f'[data-kind="{kind}"]') == "true", kind
        )
        self.click('[data-filter="all"]')
        self.wait(lambda: self.script(f"return [...document.querySelectorAll('#list li')].find((li) => li.dataset.id === {id!r})"), id)
        self.script(f"[...document.querySelectorAll('#list li')].find((li) => li.dataset.id === {id!r}).click()")
        self.showing(id)

    def showing(self, id: str) -> None:
        self.wait(lambda: self.script("return document.querySelector('article')?.dataset.id") == id, f"{id} to be open")

    def saved(self) -> None:
        self.wait(lambda: self.script("return document.getElementById('saved')?.dataset.waiting") == "0", "everything saved")

    def verdicts(self) -> dict[str, str]:
        return {id: verdict.verdict for (id, who), verdict in decisions.read(self.server.root).last().items() if who == "kim"}


@pytest.fixture
def person(browser: Any, server: Server) -> Iterator[Person]:
    browser.get_log("browser")  # forget what earlier tests provoked
    yield Person(browser, server)
    for extra in browser.window_handles[1:]:
        browser.switch_to.window(extra)
        browser.close()
    browser.switch_to.window(browser.window_handles[0])
    noise = ("favicon", "status of 409", "status of 400", "ERR_CONNECTION")
    errors = [one["message"] for one in browser.get_log("browser") if one["level"] == "SEVERE" and not any(word in one["message"] for word in noise)]
    browser.get("about:blank")
    assert errors == []


def test_a_question_is_answered_by_its_number(person: Person) -> None:
    person.showing(QUESTION)
    person.press("2")
    assert person.script("return document.querySelector('[data-option=delete]').getAttribute('aria-checked')") == "true"
    assert person.verdicts() == {}
    person.press("n")
    person.press("되살릴 방법이 없다\ue007", into="#reason")
    person.saved()
    assert person.verdicts() == {QUESTION: "delete"}
    assert decisions.read(person.server.root).verdicts[0].reason == "되살릴 방법이 없다"
    person.showing(WORD_ORDER)
    person.press("11")  # the same key again saves
    person.wait(lambda: person.verdicts().get(WORD_ORDER) == "eojeol", "the second answer")


def test_an_item_is_edited_and_the_change_is_marked_while_writing(person: Person) -> None:
    person.open(ITEM)
    assert person.texts('[data-column="target_prompt"] ins') == ["을", "한 곳", "게 되"]
    assert person.texts(".number.alone") == ["11", "12"]
    person.press("e")
    person.write("왼쪽으로 14걸음 가세요. 오른쪽으로 11걸음을 가세요. 출발한 곳으로 돌아오게 되나요?", '[data-edit="target_prompt"]')
    assert not person.browser.find_elements("css selector", '[data-edit="draft"]')
    assert person.texts(".preview ins") == ["11"]
    person.press("\ue009\ue007", into='[data-edit="target_prompt"]')  # Ctrl + Enter
    person.saved()
    (verdict,) = decisions.read(person.server.root).verdicts
    assert (verdict.verdict, list(verdict.edit)) == ("edit", ["target_prompt"])
    person.open(ITEM)
    assert person.texts('[data-column="target_prompt"] del') == ["12"]
    assert person.texts(".number.alone") == []


def test_the_keys_work_with_the_korean_layout_switched_on(person: Person) -> None:
    person.open(ITEM)
    person.script("document.body.dispatchEvent(new KeyboardEvent('keydown', {code: 'KeyA', key: 'ㅁ', bubbles: true, cancelable: true}))")
    person.wait(lambda: person.verdicts() == {ITEM: "accept"}, "the verdict")


def test_a_rejection_asks_for_its_reason(person: Person) -> None:
    person.open(ITEM)
    person.press("r")
    assert person.browser.switch_to.active_element.get_attribute("id") == "reason"
    person.press("\ue007", into="#reason")
    assert person.verdicts() == {}
    person.press("r")
    person.press("수가 다르다\ue007", into="#reason")
    person.wait(lambda: person.verdicts() == {ITEM: "reject"}, "the verdict")


@pytest.mark.parametrize(("id", "kind"), [(LISTEN, "flac"), (WRITE, "wav")])
def test_a_clip_plays(person: Person, id: str, kind: str) -> None:
    person.open(id)
    if id == WRITE:
        person.press("\ue00c")  # Esc leaves the form
    person.press(" ")
    person.wait(lambda: person.script("return document.getElementById('player').currentTime") > 0.1, f"{kind} to play")
    assert person.script("return document.getElementById('player').duration") == pytest.approx(2.0, abs=0.05)
    person.wait(lambda: person.script("return document.getElementById('player').ended"), "its end")


def test_a_question_is_written_on_a_clip(person: Person) -> None:
    person.open(WRITE)
    for column, text in {"question": "직업은?", "option_1": "교사", "option_2": "의사", "answer": "기자"}.items():
        person.press(text, into=f'[data-edit="{column}"]')
    person.press("\ue009\ue007", into='[data-edit="answer"]')
    assert "정답" in person.text("dialog") or "answer" in person.text("dialog").lower()
    person.click("dialog button")
    person.showing(WRITE)
    person.holds('[data-edit="question"]', "직업은?")
    person.write("의사\ue009\ue007", '[data-edit="answer"]')
    person.wait(lambda: person.verdicts() == {WRITE: "edit"}, "the verdict")


def test_a_text_in_the_making_survives_a_reload(person: Person) -> None:
    person.open(ITEM)
    person.press("e")
    person.press(" 더 쓰는 중", into='[data-edit="target_answer"]')
    person.press("이유도", into="#reason")
    person.browser.refresh()
    person.showing(ITEM)
    person.holds('[data-edit="target_answer"]', "아니요 더 쓰는 중")
    person.holds("#reason", "이유도")


def test_a_second_window_shows_what_the_first_one_saved(person: Person) -> None:
    person.open(ITEM)
    first = person.window
    person.browser.switch_to.new_window("window")
    person.browser.get(person.server.url)
    second = person.browser.current_window_handle
    person.open(ITEM)
    person.browser.switch_to.window(first)
    person.press("a")
    person.saved()
    person.browser.switch_to.window(second)
    person.wait(lambda: "accept" in person.text(".notice.mine").lower() or "승인" in person.text(".notice.mine"), "the first window's verdict")


def test_two_windows_with_two_verdicts_ask_which_one_counts(browser: Any, root: Path, started: Any) -> None:
    person = Person(browser, started(root, "poll_s=600"))  # the other window saves before this one hears of it
    person.open(ITEM)
    decisions.append(person.server.root, "hypertranslation", "kim", ITEM, "accept", seen=builds.entry(ITEM).fingerprint())
    person.press("n")
    person.press("수가 다르다", into="#reason")
    person.press("\ue00c", into="#reason")
    person.press("r")
    assert "수가 다르다" in person.text("dialog")
    person.click("dialog button.main")
    person.wait(lambda: person.verdicts() == {ITEM: "reject"}, "the chosen verdict")
    assert [verdict.verdict for verdict in decisions.read(person.server.root).verdicts] == ["accept", "reject"]


def test_every_verdict_is_there_after_the_desk_was_killed_while_saving(person: Person) -> None:
    person.open(ITEM)
    person.server.process.send_signal(signal.SIGSTOP)  # the verdict is on its way and not yet taken
    person.press("a")
    person.wait(lambda: person.script("return document.getElementById('saved').dataset.waiting") == "1", "the verdict in the outbox")
    person.server.kill()
    assert person.verdicts() == {}
    file = decisions.path(person.server.root, "hypertranslation", "kim")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b'{"date":"2026-11-29","edit":{},"queue_id":"item:bbh:bbh-test-000')  # as a write that was cut off leaves it
    person.wait(lambda: "1" in person.text("#banner .notice"), "the page to say that it is not saved")
    person.server.start()
    person.wait(lambda: person.verdicts() == {ITEM: "accept"}, "the verdict after the desk came back")
    person.saved()
    person.wait(lambda: not person.browser.find_elements("css selector", "#banner .notice"), "the notice of the torn line to go")
    person.wait(lambda: person.texts("article h1"), "the next entry, which could not be read while the desk was down")


def test_verdicts_given_while_the_desk_is_killed_again_and_again_all_arrive(browser: Any, tmp_path: Path, started: Any) -> None:
    base = builds.entry(ITEM).model_dump(mode="json")
    ids = [f"item:bbh:bbh-test-{n:05d}" for n in range(24)]
    server = started(builds.build(tmp_path / "build", [{**base, "id": id, "title": id} for id in ids]), "poll_s=0.2")
    person = Person(browser, server)
    person.open(ids[0])
    person.click('[data-filter="open"]')
    person.showing(ids[0])
    for n, id in enumerate(ids):
        person.showing(id)
        person.press("a")
        if n % 6 == 3:
            server.kill()
            server.start()
    person.wait(lambda: len(person.verdicts()) == len(ids), "every verdict", 40)
    person.saved()
    seqs = [verdict.seq for verdict in decisions.read(server.root).verdicts]
    assert seqs == list(range(1, len(ids) + 1)), "each is kept once"


def test_a_damaged_file_is_said_on_the_page_and_verdicts_wait(person: Person) -> None:
    person.open(ITEM)
    file = decisions.path(person.server.root, "correct", "lee")
    files.write_text(file, "<<<<<<< HEAD\n>>>>>>> theirs\n")
    person.wait(lambda: any("lee.jsonl line 1 is not a verdict" in text for text in person.texts("#banner .notice")), "the sentence")
    file.unlink()
    person.wait(lambda: not person.texts("#banner .notice"), "it to go")
    person.press("a")
    person.wait(lambda: person.verdicts() == {ITEM: "accept"}, "the verdict")


def test_skipping_going_back_stepping_and_searching(person: Person) -> None:
    person.press("s")
    person.showing(WORD_ORDER)
    person.saved()
    assert person.verdicts() == {QUESTION: "skip"}
    assert person.texts("#list .line") == ["Counting words in Korean"]
    person.press("u")
    person.showing(QUESTION)
    person.click('[data-filter="skipped"]')
    person.wait(lambda: person.texts("#list .line") == ["Adjective order has no Korean counterpart"], "the skipped entry")
    person.click('[data-filter="all"]')
    person.press("j")
    person.showing(WORD_ORDER)
    person.press("k")
    person.showing(QUESTION)
    person.press("/")
    person.press("counting\ue007", into="#search")
    person.showing(WORD_ORDER)


def test_markup_in_an_item_is_text(person: Person) -> None:
    person.open(HOSTILE)
    assert builds.SCRIPT in person.text("article h1")
    assert person.script("return window.stolen") is None
    assert person.script("return document.querySelectorAll('article script, article img, #list img, #list script').length") == 0
    person.press("n")
    person.press(builds.SCRIPT, into="#reason")
    person.press("\ue00c", into="#reason")
    person.press("a")
    person.saved()
    person.open(HOSTILE)
    assert builds.SCRIPT in person.text(".notice.mine")
    assert person.script("return window.stolen") is None


def test_two_reviewers_and_their_agreement(person: Person) -> None:
    root = person.server.root
    for entry, verdict in zip(queue.read(root, "item"), ("accept", "reject"), strict=True):
        decisions.append(root, entry.topic, "lee", entry.id, verdict, reason="다른 이유", seen=entry.fingerprint())
    person.open(HOSTILE)
    person.wait(lambda: person.texts(".notice"), "the note that someone has judged")
    assert "다른 이유" not in person.text("body")
    person.press("a")
    person.open(HOSTILE)
    assert "다른 이유" in person.text('[data-part="others"]')
    person.open(ITEM)
    person.press("a")
    person.saved()
    person.press("g")
    row = person.text("#agreement tbody tr")
    assert "kim · lee" in row
    assert "50 %" in row
    assert "0.00" in row


def test_the_interface_speaks_both_languages(person: Person) -> None:
    assert "검토 데스크" in person.text("#top")
    assert "알맞은 조사를" in person.text("article")
    person.press("l")
    assert "Review desk" in person.text("#top")
    assert "Ask for the right particle" in person.text("article")
    person.browser.refresh()
    person.wait(lambda: "Review desk" in person.text("#top"), "the language to be remembered")


def test_a_queue_made_anew_shows_without_a_reload_and_keeps_what_is_written(person: Person) -> None:
    person.open(DISAGREEMENT)
    person.press("n")
    person.press("확인함", into="#reason")
    old = builds.entry(DISAGREEMENT)
    queue.write(person.server.root, "disagreement", [old.model_copy(update={"source": {**old.source, "corrected_reference": "D"}})])
    person.wait(lambda: "D" in person.text('[data-column="corrected_reference"]'), "the new text")
    person.holds("#reason", "확인함")
    assert person.texts(".notice.warn")


def test_a_verdict_on_a_text_that_changed_meanwhile_is_asked_again(browser: Any, root: Path, started: Any) -> None:
    person = Person(browser, started(root, "poll_s=600"))  # the page hears nothing of the change until it saves
    person.open(DISAGREEMENT)
    old = builds.entry(DISAGREEMENT)
    queue.write(root, "disagreement", [old.model_copy(update={"source": {**old.source, "corrected_reference": "D"}})])
    person.press("n")
    person.press("확인함", into="#reason")
    person.press("\ue00c", into="#reason")
    person.press("a")
    person.wait(lambda: person.texts(".notice.warn") and "D" in person.text('[data-column="corrected_reference"]'), "the new form, and a note")
    person.holds("#reason", "확인함")
    assert person.verdicts() == {}
    person.press("a")
    person.wait(lambda: person.verdicts() == {DISAGREEMENT: "accept"}, "the verdict on the new form")


def test_on_the_network_the_page_asks_for_the_token(browser: Any, root: Path, started: Any) -> None:
    server = started(root, "host=0.0.0.0", env={"BENCHFERRY_DESK_TOKEN": "the-token"})
    browser.get(server.url)
    person = Person.__new__(Person)
    person.browser, person.server = browser, server
    person.find("dialog input[type=password]").send_keys("wrong\ue007")
    person.wait(lambda: any(person.texts("dialog .notice")), "the refusal")
    field = person.find("dialog input[type=password]")
    field.clear()
    field.send_keys("the-token\ue007")
    person.find("dialog input[type=text]").send_keys("kim\ue007")
    person.showing(QUESTION)


def test_korean_is_drawn_where_no_korean_font_is_installed(tmp_path: Path, server: Server) -> None:
    if font_path() is None:
        pytest.skip("needs the font package pylopdf-fonts-ko")
    fonts = Path("/usr/share/fonts/truetype/dejavu")
    if not fonts.is_dir():
        pytest.skip("needs the DejaVu fonts (apt-get install fonts-dejavu-core) as the only ones")
    conf = tmp_path / "fonts.conf"
    files.write_text(conf, NO_KOREAN_FONT.format(fonts=fonts, cache=tmp_path / "fontcache"))
    browser = chromium(tmp_path / "profile", env={**os.environ, "FONTCONFIG_FILE": str(conf)})
    try:
        person = Person(browser, server)
        person.wait(lambda: person.script("return [...document.fonts].some((font) => font.status === 'loaded')"), "the packaged font")
        # A missing glyph has one width whatever the letter; real ones are drawn from different pixels.
        drawn = person.script(
            "const draw = (text) => { const canvas = document.createElement('canvas'); const pen = canvas.getContext('2d');"
            "pen.font = '40px \"Desk Korean\"'; pen.fillText(text, 5, 60); return canvas.toDataURL(); }; return [draw('가'), draw('힣')]"
        )
        assert drawn[0] != drawn[1]
    finally:
        browser.quit()
