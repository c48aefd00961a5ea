"""Fetches the packages of npm that the page needs, by npm's client, and checks their digests; no package is run."""

import subprocess
import tarfile
import tomllib
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha512
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

from spindle.sim.error import UserError, plain

MAX_FILE_BYTES = 64 << 20
"""Most bytes of one file of a package."""
FETCH_SECONDS = 600.0
"""Seconds that npm may take to fetch a package."""
NO_NPM = "npm is missing, which fetches the page's packages; install it (Debian: sudo apt install npm)"
"""The message where npm is missing."""


@dataclass(frozen=True)
class NpmPackage:
    """A package of npm: its *version*, the *integrity* (digest) of its archive, and its *licence* by its SPDX name.

    *files* are the files taken from it, by path, with their names in the page.
    """

    name: str
    version: str
    integrity: str
    licence: str
    files: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"


PACKAGES = tuple(NpmPackage(name, **package) for name, package in tomllib.loads(
    Path(__file__).with_name("packages.toml").read_text("utf-8")).items())  # fmt: skip
"""All packages that the page needs."""


def files_of(package: NpmPackage) -> dict[str, bytes]:
    """Return the files of *package* by name in the page; UserError where npm is absent or fails, or a digest differs.
    """
    npm = which("npm")
    if npm is None:
        raise UserError(NO_NPM)
    with TemporaryDirectory() as folder:
        archive = _fetch(npm, package, Path(folder))
        check_integrity(package, archive.read_bytes())
        return unpack(package, archive)


def _fetch(npm: str, package: NpmPackage, folder: Path) -> Path:
    command = [npm, "pack", str(package), "--ignore-scripts", "--prefer-offline", "--silent",
               "--pack-destination", str(folder)]  # fmt: skip
    try:
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=FETCH_SECONDS)
    except subprocess.TimeoutExpired:
        raise UserError(f"npm has not fetched {package} within {FETCH_SECONDS:g} s") from None
    archives = list(folder.glob("*.tgz"))
    if ran.returncode or len(archives) != 1:
        why = plain(" ".join(ran.stderr.split()))[:200] or f"exit status {ran.returncode}; is the network there?"
        raise UserError(f"npm cannot fetch {package}: {why}")
    return archives[0]


def check_integrity(package: NpmPackage, content: bytes) -> None:
    """Raise UserError where the digest of the archive *content* is not that of *package*."""
    if f"sha512-{b64encode(sha512(content).digest()).decode()}" != package.integrity:
        raise UserError(f"what npm fetched for {package} is not what was pinned, and is not used")


def unpack(package: NpmPackage, archive: Path) -> dict[str, bytes]:
    """Return the files of *package* in its *archive*, under the page's names; nothing else is taken from there."""
    files: dict[str, bytes] = {}
    with tarfile.open(archive) as tar:
        for path, name in package.files.items():
            try:
                member = tar.getmember(f"package/{path}")
            except KeyError:
                raise UserError(f"{package} has no file {path}") from None
            content = tar.extractfile(member) if member.isfile() and member.size <= MAX_FILE_BYTES else None
            if content is None:
                raise UserError(f"{package}: {path} is no file of at most {MAX_FILE_BYTES >> 20} MiB")
            files[name] = content.read()
    return files
