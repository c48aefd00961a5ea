"""Numbers that documents quote from results/: ``make numbers`` writes them anew, a test says where they part.

A number is quoted by a comment behind it, which a reader does not see: 0.92<!-- hp3000/load.csv: response_mean where
terminals=101, caching=False -->; it keeps as many digits as it is written with. A table of claims stands between
<!-- claims of hp3000 --> and <!-- end -->, one of mechanisms between <!-- mechanisms of hp3000 --> and <!-- end -->,
and how many independent predictions hold, part by part, between <!-- score of papers --> and <!-- end -->.
"""

import re
import sys
from pathlib import Path
from textwrap import fill

import pandas as pd

from spindle.output.kept_tables import kept_table
from spindle.output.tables import number
from spindle.studies.claims.verdicts import headline, parts_of_score

ROOT = Path(__file__).parents[1]
MACHINES = sorted(path.parent.name for path in ROOT.glob("models/*/README.md"))
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md"))
DOCUMENTS = ("README.md", "DESIGN.md", *PAGES, *(f"models/{name}/README.md" for name in MACHINES))
QUOTE = re.compile(r"(-?\d[\d,]*(?:\.(\d+))?)( ?%)?<!-- ([\w/.]+\.csv): (\w+)(?:\s+where\s+([^>]*?))? -->")
LINE = 120
"""Characters of a line of a document."""
TABLE = re.compile(r"(<!-- (claims|mechanisms|score) of (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def refreshed(text: str, results: Path) -> str:
    """*text* with every quoted number as *results* have it."""
    text = QUOTE.sub(lambda quote: _quoted(quote, results), text)
    tables = {"claims": _claims, "mechanisms": _mechanisms, "score": _score}
    return TABLE.sub(lambda table: f"{table[1]}{tables[table[2]](table[3], results)}{table[4]}", text)


def _quoted(quote: "re.Match[str]", results: Path) -> str:
    written, decimals, percent, file, column, where = quote.groups()
    frame = kept_table(results / file).frame
    for condition in re.split(r",\s+(?=\w+=)", where or "") if where else []:
        name, _, value = condition.partition("=")
        frame = frame[frame[name].astype(str).eq(value)]
    if len(frame) != 1:
        raise ValueError(f"{quote[0]}: {len(frame)} rows are so")
    value = float(frame[column].iloc[0]) * (100.0 if percent else 1.0)
    text = f"{value:,.{len(decimals or '')}f}" if "," in written else f"{value:.{len(decimals or '')}f}"
    return quote[0].replace(written, text, 1)


def _claims(system: str, results: Path) -> str:
    claims = kept_table(results / "claims.csv").frame
    claims = claims[claims["system"].eq(system)]
    held = headline(claims)
    lines = [held, ""] if held else []
    lines += ["| claim | the paper | role | published | simulated (95 %) | |", "|---|---|---|---|---|---|"]
    return "\n".join([*lines, *(_line(row) for _, row in claims.iterrows())]) + "\n"


def _score(_: str, results: Path) -> str:
    return f"{fill(parts_of_score(kept_table(results / 'claims.csv').frame), LINE)}\n"


def _mechanisms(system: str, results: Path) -> str:
    """A line for each row of the study ``mechanisms``: without it, with it, and the share that it saves."""
    frame = kept_table(results / system / "mechanisms.csv").frame
    lines = ["| mechanism | without | with | saves (95 %) | without it |", "|---|---|---|---|---|"]
    return "\n".join([*lines, *(_mechanism(row) for _, row in frame.iterrows())]) + "\n"


def _mechanism(row: "pd.Series[object]") -> str:
    off, on = (f"{_short(row[name])} {row['unit']}" for name in ("off", "on"))
    share, low, high = (100.0 * float(str(row[name])) for name in ("worth", "worth_low", "worth_high"))
    interval = f" ({low:.0f} to {high:.0f})" if low < high else ""
    said = f"**{row['verdict']}**" if row["verdict"] in ("nothing", "unclear") else f"{share:.0f} %"
    return f"| {row['mechanism']} | {off} | {on} | {said}{interval} | `{row['command']}` |"


def _line(row: "pd.Series[object]") -> str:
    unit = "" if row["unit"] == "1" else f" {row['unit']}"
    low, high, simulated, published = (_short(row[name]) for name in ("ci_low", "ci_high", "simulated", "published"))
    interval = f" ({low} to {high})" if low else ""
    values = f"{published}{unit}", f"{simulated}{unit}{interval}" if simulated else ""
    if row["low"] == row["high"] == row["published"] == 1.0:
        values = "yes", {"1": "yes", "0": "no"}.get(simulated, simulated)
    verdict = f"**{row['verdict']}**" if row["verdict"] in ("fails", "undecided") else row["verdict"]
    return f"| {row['id']} | {row['says']} | {row['role']} | {values[0]} | {values[1]} | {verdict} |"


def _short(value: object) -> str:
    return number(float(f"{float(value):.3g}"))  # type: ignore[arg-type]


def main() -> int:
    for name in DOCUMENTS:
        path = ROOT / name
        text = path.read_text("utf-8")
        if (new := refreshed(text, ROOT / "results")) != text:
            path.write_text(new, "utf-8")
            print(f"{name}: numbers written anew")
    return 0


if __name__ == "__main__":
    sys.exit(main())
