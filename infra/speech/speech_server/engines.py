"""The models: Whisper hears, Piper speaks."""

import io
import os
from pathlib import Path
from typing import Iterator

import av
import numpy as np
from faster_whisper import WhisperModel, decode_audio
from piper import PiperVoice, SynthesisConfig

from .http_api import PCM_RATE


class LocalEngines:
    def __init__(self, whisper: Path, voice: Path) -> None:
        threads = min(4, os.cpu_count() or 1)
        self._whisper = WhisperModel(
            str(whisper), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
        )
        self._voice = PiperVoice.load(next(voice.glob("*.onnx")))
        # The first use of each takes longer than the others.
        sound = b"".join(self.speak("Ready.", 1.0))
        self._words(np.frombuffer(sound, dtype=np.int16).astype(np.float32) / 32768)

    def transcribe(self, audio: bytes) -> str:
        return self._words(decode_audio(io.BytesIO(audio)))

    def _words(self, samples: np.ndarray) -> str:
        # Without the filter, Whisper hears words in noise. More beams took a fifth longer, and got no word more right.
        segments, _ = self._whisper.transcribe(
            samples,
            language="en",
            beam_size=1,
            vad_filter=True,
            condition_on_previous_text=False,
            without_timestamps=True,
        )
        return " ".join(segment.text.strip() for segment in segments).strip()

    def speak(self, text: str, speed: float) -> Iterator[bytes]:
        resampler = av.AudioResampler(format="s16", layout="mono", rate=PCM_RATE)
        # Double brackets would be read as phonemes.
        plain = text.replace("[[", "[").replace("]]", "]")
        size = 0
        for chunk in self._voice.synthesize(plain, SynthesisConfig(length_scale=1 / speed)):
            frame = av.AudioFrame.from_ndarray(
                chunk.audio_int16_array.reshape(1, -1), format="s16", layout="mono"
            )
            frame.sample_rate = chunk.sample_rate
            sound = b"".join(samples(part) for part in resampler.resample(frame))
            size += len(sound)
            yield sound
        yield b"".join(samples(part) for part in resampler.resample(None))
        if size == 0:
            # Clients take an empty answer for a failure.
            yield bytes(PCM_RATE * 2 // 5)


def samples(frame: av.AudioFrame) -> bytes:
    return frame.to_ndarray().astype("<i2").tobytes()
