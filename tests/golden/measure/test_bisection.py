import re

import pytest

from fingerpost.golden.measure.simulation import Bisection


def tried(saturation: float, **options: float) -> tuple[list[float], Bisection]:
    search = Bisection(**options)
    loads: list[float] = []
    while search.load is not None:
        assert 0 < search.left <= search.steps - len(loads)
        loads.append(search.load)
        search.tell(saturated=loads[-1] > saturation)
    assert search.left == 0
    return loads, search


@pytest.mark.parametrize("saturation", [0.003, 0.01, 0.2, 0.427, 0.5, 0.63, 0.995, 0.9999])
@pytest.mark.parametrize("resolution", [0.01, 0.003, 0.5])
def test_finds_the_load_as_close_as_asked_for(saturation: float, resolution: float) -> None:
    loads, search = tried(saturation, resolution=resolution)
    assert search.saturation is not None
    step = 1 / round(1 / resolution)
    assert 0 <= saturation - search.saturation < step + 1e-9
    assert search.beyond == pytest.approx(search.saturation + step)
    assert len(loads) <= search.steps
    assert len(set(loads)) == len(loads)


def test_no_saturation_is_seen_at_once() -> None:
    loads, search = tried(2)
    assert (loads, search.saturation, search.beyond) == ([1.0], None, None)


def test_loads_are_on_one_raster() -> None:
    assert tried(0.3)[0][:3] == [1.0, 0.5, 0.25]
    assert all(round(load * 100, 6).is_integer() for load in tried(0.427)[0])


def test_limit_is_that_of_the_terminals() -> None:
    loads, search = tried(2.3, limit=4.0, resolution=0.5)
    assert (loads[0], search.saturation) == (4.0, 2.0)


@pytest.mark.parametrize("resolution", [0, -1, 0.6, float("nan")])
def test_refuses_a_resolution(resolution: float) -> None:
    message = (
        "Bisection needs a resolution above 0 and up to 0.5, half of the greatest load, "
        f"not {resolution:g}"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Bisection(resolution=resolution)
