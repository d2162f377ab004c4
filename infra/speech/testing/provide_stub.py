"""Provides a small model instead of the real ones: `python testing/provide_stub.py FOLDER`.

In FOLDER are `wheels`, `hub` and, on a second run, `cache`. Prints what `models.main` prints, and ends as it does. With the
names of sources behind the folder, only those have the pinned file: `own`, `wheel`, `hub`.
"""

import hashlib
import sys
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from speech_server import models  # noqa: E402

RIGHT, WRONG = b"the pinned file", b"another file"
root, good = Path(sys.argv[1]), sys.argv[2:]


def content(source: str) -> bytes:
    return RIGHT if source in good else WRONG


def make_wheel() -> str:
    """Writes a wheel that pip accepts, and returns its hash."""
    path = root / "wheels" / "stub_weights-1.0-py3-none-any.whl"
    path.parent.mkdir(exist_ok=True)
    info = "stub_weights-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("stub_weights/model.bin", content("wheel"))
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: stub-weights\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


for source, folder in (("own", root / "own" / "stub"), ("hub", root / "hub")):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.bin").write_bytes(content(source))
models.PINNED = {
    "stub": {
        "wheel": {
            "project": "stub-weights",
            "version": "1.0",
            "sha256": make_wheel(),
            "folder": "stub_weights",
        },
        "hub": (root / "hub").as_uri(),
        "files": {"model.bin": hashlib.sha256(RIGHT).hexdigest()},
    }
}
sys.exit(models.main(root / "cache", root / "own"))
