"""A model of the transformers library in this process, for machines with a GPU and no server. Needs the extra `torch`.

The question goes through the processor's chat template, with the clip as an audio part; one question at a time, since batching
audio changes what padding-sensitive models answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from stages.core.errors import UserError, nearest
from stages.evaluate.speechlms.base import Answer, Asked, Decoding, Failure, Local


class LocalModel:
    def __init__(self, settings: Local, name: str, decoding: Decoding) -> None:
        self.name = name
        self.retries = 0  # nothing here can fail today and work tomorrow
        self._settings, self._decoding = settings, decoding
        self._model: Any = None
        self._processor: Any = None

    def fingerprint(self) -> dict[str, Any]:
        chosen = self._settings.model_dump(include={"model", "revision", "model_class", "dtype", "system"})
        return {"kind": "transformers", **chosen, **self._decoding.model_dump()}

    def prepare(self) -> None:
        try:
            import torch  # noqa: F401
            import transformers
        except ImportError:
            raise UserError(
                f"The model {self.name} runs in this process and needs torch and transformers; install the extra: pip install -e '.[torch]'."
            ) from None
        wanted = self._settings.model_class
        kind = getattr(transformers, wanted, None)
        if kind is None:
            known = [name for name in dir(transformers) if name.endswith(("ForConditionalGeneration", "ForCausalLM"))]
            raise UserError(f"transformers {transformers.__version__} has no class {wanted!r} (speechlm.model.model_class).{nearest(wanted, known)}")
        choice = {"revision": self._settings.revision, "trust_remote_code": self._settings.trust_remote_code}
        try:
            self._processor = transformers.AutoProcessor.from_pretrained(self._settings.model, **choice)
            placed = {} if self._settings.device == "cpu" else {"device_map": self._settings.device}
            self._model = kind.from_pretrained(self._settings.model, dtype=self._settings.dtype, **choice, **placed).eval()
        except (OSError, ValueError) as error:
            why = str(error).strip().split("\n")[0].rstrip(".")
            raise UserError(f"The model {self._settings.model} cannot be loaded ({why}); correct speechlm.model in conf/.") from None

    def answers(self, asked: Iterator[Asked], took: Callable[[Asked, Answer | Failure], None]) -> None:
        import torch

        if self._decoding.seed is not None:
            torch.manual_seed(self._decoding.seed)
        for one in asked:
            try:
                took(one, self._answer(one))
            except torch.cuda.OutOfMemoryError:
                torch.cuda.empty_cache()
                took(one, Failure("the GPU has too little memory for this question"))

    def _answer(self, asked: Asked) -> Answer:
        import torch

        started = time.monotonic()
        content: list[dict[str, Any]] = []
        if asked.audio is not None:
            content.append({"type": "audio", "audio": self._samples(asked.audio)})
        if asked.text is not None:
            content.append({"type": "text", "text": asked.text})
        system = [{"role": "system", "content": [{"type": "text", "text": self._settings.system}]}] if self._settings.system else []
        inputs = self._processor.apply_chat_template(
            [*system, {"role": "user", "content": content}], add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
        ).to(self._model.device)
        sampling = {"do_sample": True, "temperature": self._decoding.temperature, "top_p": self._decoding.top_p}
        with torch.inference_mode():
            output = self._model.generate(
                **inputs, max_new_tokens=self._decoding.max_tokens, **(sampling if self._decoding.temperature else {"do_sample": False})
            )
        given = inputs["input_ids"].shape[1]
        tokens = output[0][given:]
        text = self._processor.batch_decode([tokens], skip_special_tokens=True)[0]
        reason = "length" if len(tokens) >= self._decoding.max_tokens else "stop"
        return Answer(text, None, None, reason, int(given), len(tokens), round(time.monotonic() - started, 3))

    def _samples(self, clip: bytes) -> Any:
        from stages.speech import audio

        samples, rate = audio.decode(clip)
        extractor = getattr(self._processor, "feature_extractor", self._processor)
        return audio.resample(samples, rate, int(extractor.sampling_rate))
