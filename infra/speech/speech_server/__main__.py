"""Starts the server: `python -m speech_server --port PORT --whisper FOLDER --voice FOLDER`."""

import argparse
import os
import signal
import sys
import threading
import time
from pathlib import Path

from .http_api import SpeechServer
from .models import faults


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--whisper", type=Path, required=True)
    parser.add_argument("--voice", type=Path, required=True)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    threading.Thread(target=end_with_parent, daemon=True).start()
    server = SpeechServer(options.port)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    began = time.monotonic()
    for folder in (options.whisper, options.voice):
        wrong = faults(folder.name, folder)
        if wrong:
            sys.exit("\n".join(wrong))
    # Loading them takes seconds, in which the server answers that it starts.
    from .engines import LocalEngines

    server.engines = LocalEngines(options.whisper, options.voice)
    print(f"ready after {time.monotonic() - began:.1f} s", flush=True)
    signal.pause()


def end_with_parent() -> None:
    """Ends the process when its parent has ended, however that happened."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


if __name__ == "__main__":
    main()
