"""What no voice can say."""

from __future__ import annotations

import pytest

from stages.wildspeech.voiceable import VoiceSettings, problem

LATIN = VoiceSettings(scripts=["LATIN"])
HANGUL = VoiceSettings(scripts=["HANGUL"], min_words=2)


def rule(query: str, settings: VoiceSettings = LATIN) -> str | None:
    found = problem(query, len(query.split()), settings)
    return found[0] if found else None


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Please read https://example.org/a for me", "url"),
        ("Is example.com down right now?", "url"),
        ("Write to ann@example.org for me", "address"),
        ("Thank <PRESIDIO_ANONYMIZED_PERSON> for the gift", "placeholder"),
        ("Write a letter to [INSERT NAME] please", "placeholder"),
        ("What does `ls -la` do here?", "code"),
        ("Why does print('hi') fail for me?", "code"),
        ("Is for(int i=0;i<n;i++) right or wrong?", "code"),
        ("def add(a, b): return the sum please", "code"),
        ("SELECT name FROM users and explain it", "code"),
        ("What is my_variable_name used for here?", "code"),
        ("a != b what does this mean", "code"),
        ("run it with --force and tell me", "code"),
        ("| a | b | turn this into prose", "table"),
        ("name\tage\tcity sort these for me", "table"),
        ("<b>bold</b> how do I do this", "markup"),
        ("# Title of my essay please improve", "markup"),
        ("Solve \\frac{1}{2} for me please", "formula"),
        ("What is x^2 when doubled again?", "formula"),
        ("If y = 3 then what follows?", "formula"),
        ("Open C:\\Users\\me for me please", "path"),
        ("What is in /usr/local/bin on my machine?", "path"),
        ("How do I open report.pdf on a phone?", "file"),
        ("Is 123456789012 a prime number?", "digits"),
        ("one line\nsecond line\nthird line", "lines"),
        ("ok then", "too_short"),
        ("1 2 3 !?", "no_letters"),
        ("Привет, как у тебя дела?", "script"),
        ("こんにちは 元気 ですか 今日", "script"),
        ("I love this so much ❤ really", "symbol"),
        ("How do I log in to 192.168.0.1 please", "address"),
        ("what does go() do in this language", "code"),
        ("Explain what list.append(x) returns here", "code"),
        ("why is i++ not the same as ++i", "code"),
        ("import numpy as np and then what", "code"),
        ("class Dog(Animal): what is wrong here", "code"),
        ("let total = 5 what does it do", "code"),
        ("select * from users where id is five", "code"),
        ("color: #ff0000; which color is it", "code"),
        ("name;age;city please sort these", "table"),
        ("solve y = mx + b for x", "formula"),
    ],
)
def test_what_cannot_be_said_is_named(query: str, expected: str) -> None:
    assert rule(query) == expected


@pytest.mark.parametrize(
    "query",
    [
        "Why do cats purr?",
        "Is a ticket for $25 cheaper than one for 30 euros?",
        "What's the café's naïve policy on pets?",
        "How do I put out a grease fire (on a stove)?",
        "Do I need apple(s) or pears for this cake?",
        "My train leaves at 7:45 p.m. on March 3. When should I go?",
        "Is it 24/7 open or not?",
        "Tell me - if you can - what time it is.",
        'He said "no way"; what did he mean by that?',
        "Does Dr. Smith (e.g. the dentist) take new patients?",
        "How well-known is R&B in Norway?",
        "Compare a 50% discount with two for one.",
        "How do I learn C++ as a beginner, and is Notepad++ enough?",
        "let me know: what is the best way to cook rice",
        "class 10 students: how should they study?",
        "from a doctor's view (not a lawyer's) is this safe?",
        "import duties: how are they calculated in India",
        "public transport in Rome: how does it work?",
        "Tell me the story of Romeo and Juliet; make it short;",
        "What is a 401(k) and do I need one?",
        "Explain what AI(artificial intelligence) and figma(tool) mean",
        "Is 20°C outside warm for Norwegians?",
    ],
)
def test_plain_speech_passes(query: str) -> None:
    assert rule(query) is None


def test_scripts_are_those_of_the_language() -> None:
    assert rule("점심 메뉴 추천해 줘", HANGUL) is None
    assert rule("점심 메뉴 추천해 줘") == "script"
    assert rule("How do you say 사랑 in English?", HANGUL) == "script"
    assert rule("What should I eat today?", HANGUL) == "script"
    assert rule("오늘 날씨 어때? 🌧", HANGUL) == "symbol"


@pytest.mark.parametrize(
    "query",
    [
        "인공지능(AI)이 뭐야?",
        "이순신(李舜臣) 장군에 대해 알려 줘",
        "파이썬(Python)은 어떤 언어야?",
        "엄마(아빠)께 드릴 선물 추천해 줘",
        "ChatGPT가 뭐야?",
        "C++를 배우려면 어떻게 해야 해?",
        "오늘 기온이 20℃인데 뭐 입을까?",
    ],
)
def test_korean_with_glosses_and_foreign_names_passes(query: str) -> None:
    """In Korean nothing stands before a parenthesis, and particles join foreign names."""
    assert rule(query, HANGUL) is None
