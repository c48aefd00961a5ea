"""The public names: what ``from sim import ...`` gives, and that it costs nothing until it is asked for."""

import subprocess
import sys

import pytest
from spindle.output.modules import closure
from spindle.sim.compiled_parts import are_compiled

import spindle.sim


@pytest.mark.parametrize("name", spindle.sim.__all__)
def test_a_public_name_is_there_and_says_what_it_is_for(name: str) -> None:
    value = getattr(sim, name)
    assert name in dir(sim)
    assert value.__doc__ or not callable(value) or are_compiled()  # which leaves docstrings out


def test_there_are_some_sixty() -> None:
    assert 50 <= len(spindle.sim.__all__) == len(set(spindle.sim.__all__)) <= 80


def test_no_name_is_that_of_a_package() -> None:
    """Whether ``spindle.sim.name`` is the one or the other would hang on what was imported before."""
    packages = {module.split(".")[1] for module in closure("sim") if "." in module}
    assert packages.isdisjoint(spindle.sim.__all__)


def test_what_is_not_public_is_not_there() -> None:
    with pytest.raises(AttributeError, match="'sim' has no attribute 'Computor'"):
        spindle.sim.Computor  # noqa: B018


def test_importing_the_package_imports_nothing_of_it() -> None:
    text = "import sim, sys; print(sorted(name for name in sys.modules if name.split('.')[0] in ('sim', 'simpy')))"
    ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert ran.stdout == "['sim', 'spindle.sim.compiled_parts']\n"


@pytest.mark.parametrize("system", ["hp3000", "max_iv", "windows_nt", "unix_stdio", "sata_ncq"])
def test_a_run_does_not_reach_the_public_names(system: str) -> None:
    """Otherwise what is kept of it would be computed anew whenever one is added."""
    assert not {"sim", "spindle.sim.computer"} & closure(f"spindle.models.{system}.run")
