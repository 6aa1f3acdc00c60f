"""Write data/sample/raw/{kss,kmsav,seoul_corpus}: the bundled speech corpora in the upstream layouts, spoken by the embedded voice.

    python data/sample/make_corpora.py

Everything comes from corpora.yaml. The clips are 16 kHz or 22.05 kHz FLAC whose lowest bits are zero, which a listener does
not hear and which keeps the sample small. On the same machine the same text gives the same files.
"""

from __future__ import annotations

import io
import json
import shutil
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import yaml

from stages import languages
from stages.core.paths import ROOT
from stages.ingest import tags as transcript_tags
from stages.speech import audio
from stages.speech.kokoro import Kokoro
from stages.speech.settings import KokoroSettings, KokoroVariation, Voice

HERE = Path(__file__).parent
RAW = HERE / "raw"
ZERO_BITS = 7
TIERS = ["phoneme", "pWord.prono.", "pWord.prono.", "utt.prono.", "pWord.ortho.", "pWord.ortho.", "utt.ortho."]


class Speaker:
    """The embedded voice; text is read by the language's rules first, so that digits are said."""

    def __init__(self) -> None:
        chosen = yaml.safe_load((ROOT / "conf/tts/kokoro_ko.yaml").read_text(encoding="utf-8"))
        self._voice = Kokoro(KokoroSettings.model_validate(chosen), ROOT)
        self._language = languages.load("ko")

    def say(self, text: str, voice: str, rate: int, speed: float = 1.0) -> np.ndarray:
        """int16 samples at `rate`, without silence at the ends."""
        variation = KokoroVariation(speed=speed, linking="word", words_per_phrase=None)
        samples, from_rate = self._voice.synthesize(self._language.read(text).text, Voice(name=voice), variation)
        samples = audio.resample(audio.trim(samples, from_rate, keep_s=0.0), from_rate, rate)
        return coarse(np.clip(samples * (0.7 / max(float(np.abs(samples).max()), 1e-6)), -1, 1))


def coarse(samples: np.ndarray) -> np.ndarray:
    step = 1 << ZERO_BITS
    return (np.rint(samples * 32767 / step) * step).clip(-32768, 32767 - step + 1).astype(np.int16)


def silence(seconds: float, rate: int) -> np.ndarray:
    return np.zeros(round(seconds * rate), np.int16)


def write_audio(path: Path, samples: np.ndarray, rate: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    form = path.suffix[1:].upper()
    soundfile.write(buffer, samples, rate, format=form, subtype="PCM_16", **({"compression_level": 1.0} if form == "FLAC" else {}))
    path.write_bytes(buffer.getvalue())


def kss(chosen: dict[str, Any], out: Path, speaker: Speaker) -> None:
    lines = []
    for name, original, expanded, english in chosen["clips"]:
        wav = name in chosen["wav"]
        rate = 16000 if wav else 22050
        samples = np.concatenate([silence(0.1, rate), speaker.say(expanded, chosen["voice"], rate), silence(0.1, rate)])
        if name not in chosen["without_clip"]:
            write_audio(out / f"{name}.{'wav' if wav else 'flac'}", samples, rate)
        seconds = chosen["seconds"].get(name, round(len(samples) / rate, 1))
        lines.append(f"{name}.wav|{original}|{expanded}|{unicodedata.normalize('NFD', expanded)}|{seconds}|{english}")
    out.joinpath("transcript.v.1.4.txt").write_text("\n".join([*lines, *chosen["lines"]]) + "\n", encoding="utf-8")


def kmsav(chosen: dict[str, Any], out: Path, speaker: Speaker) -> None:
    rate = 16000
    table = tag_table("kmsav")
    lines = ["# id domain num_participants len_in_sec split"]
    for video in chosen["videos"]:
        track, items = silence(0.5, rate), []
        for who, text, *more in video["items"]:
            over = more[0]["over_s"] if more else 0.0
            # What a tag stands before is heard all the same, a filler as well as a laugh.
            heard = " ".join(word.split("/", 1)[-1] for word in text.split())
            said = speaker.say(heard, video["voices"][who], rate)
            start = len(track) - round((over + chosen["pause_s"]) * rate) if over else len(track)
            mixed = np.zeros(max(len(track), start + len(said) + round(chosen["pause_s"] * rate)), np.int32)
            mixed[: len(track)] += track
            mixed[start : start + len(said)] += said
            track = mixed.clip(-32768, 32704).astype(np.int16)
            items.append({"speaker_id": who, "start_time": round(start / rate, 2), "end_time": round((start + len(said)) / rate, 2), "text": text})
            assert not transcript_tags.read(text, table, "slashed").unknown, text
        write_audio(out / "wav" / f"{video['id']}.flac", track, rate)
        length = len(track) / rate
        if "beyond_s" in video:
            start, end = round(length - 0.3, 2), round(length + video["beyond_s"], 2)
            items.append({"speaker_id": "A", "start_time": start, "end_time": end, "text": "고맙습니다."})
        if "confidence" in video:
            items = [{**item, "confidence": video["confidence"]} for item in items]
        if "swap" in video:
            one, other = video["swap"]
            items[one], items[other] = items[other], items[one]
        write_items(out / "trans" / f"{video['id']}.json", items, video.get("bom", False))
        lines.append(f"{video['id']} {video['domain']} {video['participants']} {round(length)} {video['split']}")
    extra = chosen["not_listed"]
    items = [{"speaker_id": who, "start_time": 0.0, "end_time": 1.5, "text": text} for who, text in extra["items"]]
    write_items(out / "trans" / f"{unicodedata.normalize('NFD', extra['name'])}.json", items, False)
    (out / "data").mkdir(parents=True, exist_ok=True)
    (out / "data" / "list.txt").write_text("\n".join([*lines, *chosen["list_only"]]) + "\n", encoding="utf-8")


def write_items(path: Path, items: list[dict[str, Any]], bom: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(items, ensure_ascii=False, indent=1) + "\n", encoding="utf-8-sig" if bom else "utf-8")


def seoul(chosen: dict[str, Any], out: Path, speaker: Speaker) -> None:
    rate = 22050
    noise = np.random.default_rng(0)
    for recording in chosen["recordings"]:
        track: list[np.ndarray] = [silence(chosen["pause_s"], rate)]
        spelled: list[tuple[float, str, str]] = [(chosen["pause_s"], "<SIL>", "<SIL>")]
        for what in recording["intervals"]:
            if isinstance(what, (int, float)):
                track.append(silence(what, rate))
                spelled.append((what, "<SIL>", "<SIL>"))
                continue
            text, pronounced = (what, what) if isinstance(what, str) else what
            if text == "<IVER>":
                samples = speaker.say(chosen["interviewer"]["text"], chosen["interviewer"]["voice"], rate, 1.2)
            elif text.startswith("<") and text.endswith(">") and " " not in text:
                samples = coarse(noise.normal(0, 0.01, round(0.4 * rate)))
            else:
                samples = speaker.say(text.replace("<LAUGH-", "").replace(">", ""), recording["voice"], rate, recording.get("speed", 1.0))
            for part, label in ((samples, (text, pronounced)), (silence(chosen["pause_s"], rate), ("<SIL>", "<SIL>"))):
                track.append(part)
                spelled.append((len(part) / rate, *label))
        samples = np.concatenate(track)
        write_audio(out / "sound" / f"{recording['name']}.flac", samples, rate)
        content = textgrid(spelled, recording.get("longer_s", 0.0))
        write_grid(out / "label" / f"{recording['name']}.TextGrid", content, recording.get("little_endian", False))
    write_grid(out / "label" / f"{chosen['cut_off']}.TextGrid", content[: len(content) * 2 // 3], True)


def write_grid(path: Path, content: str, little_endian: bool) -> None:
    """UTF-16 with a byte order mark and CRLF, as upstream has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(("\ufeff" + content).replace("\n", "\r\n").encode("utf-16-le" if little_endian else "utf-16-be"))


def textgrid(stretches: list[tuple[float, str, str]], longer_s: float) -> str:
    """Long form, seven tiers. Words share their utterance's time by their length; the tier of phonemes is left without labels."""
    edges = np.concatenate(([0.0], np.cumsum([seconds for seconds, _, _ in stretches])))
    edges[-1] += longer_s
    utterances = [[(edges[i], edges[i + 1], one[place]) for i, one in enumerate(stretches)] for place in (2, 1)]
    words = [[word for interval in tier for word in in_words(*interval)] for tier in utterances]
    contents = [[(0.0, edges[-1], "")], words[0], words[0], utterances[0], words[1], words[1], utterances[1]]
    end = f"{edges[-1]:.6f}"
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "xmin = 0 ", f"xmax = {end} "]
    lines += ["tiers? <exists> ", "size = 7 ", "item []: "]
    for number, (name, intervals) in enumerate(zip(TIERS, contents, strict=True), 1):
        lines += [f"    item [{number}]:", '        class = "IntervalTier" ', f'        name = "{name}" ']
        lines += ["        xmin = 0 ", f"        xmax = {end} ", f"        intervals: size = {len(intervals)} "]
        for place, (start, stop, text) in enumerate(intervals, 1):
            lines += [f"        intervals [{place}]:", f"            xmin = {start:.6f} ", f"            xmax = {stop:.6f} "]
            lines.append('            text = "{}" '.format(text.replace('"', '""')))
    return "\n".join(lines) + "\n"


def in_words(start: float, end: float, text: str) -> list[tuple[float, float, str]]:
    parts = text.split() if not text.startswith("<LAUGH-") else [text.split()[0], *text.split()[1:]]
    edges = np.cumsum([0, *map(len, parts)]) / max(sum(map(len, parts)), 1) * (end - start) + start
    return [(edges[i], edges[i + 1], part) for i, part in enumerate(parts)]


def tag_table(corpus: str) -> dict[str, transcript_tags.TagRule]:
    conf = yaml.safe_load((ROOT / "conf" / "corpus" / f"{corpus}.yaml").read_text(encoding="utf-8"))
    return {name: transcript_tags.TagRule.model_validate(rule) for name, rule in conf["corpus"]["tags"].items()}


def main() -> None:
    chosen = yaml.safe_load((HERE / "corpora.yaml").read_text(encoding="utf-8"))
    speaker = Speaker()
    for name, write in (("kss", kss), ("kmsav", kmsav), ("seoul_corpus", seoul)):
        shutil.rmtree(RAW / name, ignore_errors=True)
        (RAW / name).mkdir(parents=True)
        write(chosen[name], RAW / name, speaker)
        size = sum(path.stat().st_size for path in (RAW / name).rglob("*") if path.is_file())
        print(f"{name}: {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
