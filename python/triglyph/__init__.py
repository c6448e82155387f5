"""The GPUs of three consoles: captures as pictures, events and states.

>>> import triglyph
>>> capture = triglyph.open("22-city.tgc")
>>> for picture in capture.replay():
...     print(picture.label, picture.pixels.shape)
"""

from ._triglyph import (
    Capture,
    Change,
    Difference,
    Draw,
    Error,
    Event,
    Expectation,
    Fault,
    Fragment,
    Hash,
    MemoryDifference,
    Output,
    Picture,
    Record,
    Replay,
    Session,
    Surface,
    SurfaceDifference,
    __version__,
    compare,
    compare_hashes,
)

# Not in __all__: there is a function of this name already.
open = Capture

__all__ = [
    "Capture",
    "Change",
    "Difference",
    "Draw",
    "Error",
    "Event",
    "Expectation",
    "Fault",
    "Fragment",
    "Hash",
    "MemoryDifference",
    "Output",
    "Picture",
    "Record",
    "Replay",
    "Session",
    "Surface",
    "SurfaceDifference",
    "__version__",
    "compare",
    "compare_hashes",
]
