"""The bundled captures."""

from pathlib import Path

import pytest

CAPTURES = Path(__file__).parents[2] / "tests" / "captures"

# One of each machine: fragment operations, several targets.
SOME = ["3ds/17-fragment-operations", "rsx/07-fbo", "tegra/07-fbo"]


def capture_path(name: str) -> Path:
    return CAPTURES / f"{name}.tgc"


@pytest.fixture(params=SOME)
def path(request: pytest.FixtureRequest) -> Path:
    return capture_path(request.param)
