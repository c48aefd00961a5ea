"""Known holes of the packages that are installed: ``python -m tests.audit``. Whom nobody answers for is named, too."""

import json
import subprocess
import sys
from collections.abc import Sequence

ASKED = ("--local", "--skip-editable")
UNREACHABLE = ("ConnectionError", "ServiceError", "Max retries exceeded", "timed out")


def audit(arguments: Sequence[str] = ASKED) -> int:
    """1 where there are holes, 0 where none is known; what could not be asked about is said."""
    command = [sys.executable, "-m", "pip_audit", "--format=json", "--progress-spinner=off", *arguments]
    asked = subprocess.run(command, capture_output=True, text=True, check=False)
    if not asked.stdout and any(each in asked.stderr for each in UNREACHABLE):
        print("nothing was audited: the index of known holes does not answer")
        return 0
    if not asked.stdout:
        print(asked.stderr, end="", file=sys.stderr)
        return asked.returncode or 1
    return judge(asked.stdout)


def judge(report: str) -> int:
    """What pip-audit's *report*, as JSON, comes to."""
    packages = json.loads(report)["dependencies"]
    skipped = [each["name"] for each in packages if "skip_reason" in each]
    holes = [(each, hole) for each in packages for hole in each.get("vulns", [])]
    for package, hole in holes:
        print(f"{package['name']} {package['version']}: {hole['id']}, mended in {', '.join(hole['fix_versions'])}")
    print(f"{len(packages) - len(skipped)} packages were audited: {len(holes)} known holes")
    if skipped:
        print(f"nobody answers for {len(skipped)}: {', '.join(sorted(skipped))}")
    return int(bool(holes))


if __name__ == "__main__":
    sys.exit(audit(sys.argv[1:] or ASKED))
