"""The speech server's HTTP part with models of a test: `python testing/stub_server.py '{"connections": 4}'`.

It prints its port. Its models wait for a line on stdin where the text says `wait`. With `loading`, they never come. Needs
no package.
"""

import json
import sys
import threading
from pathlib import Path
from typing import Iterator

sys.path.insert(0, str(Path(__file__).parent.parent))

from speech_server.http_api import SpeechServer  # noqa: E402
from speech_server.requests import Limits  # noqa: E402

lines = threading.Semaphore(0)


class StubEngines:
    def transcribe(self, audio: bytes) -> str:
        return f"{len(audio)} bytes"

    def speak(self, text: str, speed: float) -> Iterator[bytes]:
        for sentence in text.split("|"):
            if sentence == "wait":
                lines.acquire()
            if sentence == "fail":
                raise RuntimeError("the model broke")
            yield sentence.encode()


server = SpeechServer(0, Limits(**json.loads(sys.argv[1])))
if "loading" not in sys.argv:
    server.engines = StubEngines()
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
for _ in sys.stdin:
    lines.release()
