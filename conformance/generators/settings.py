"""Steps that set a state of the library; none where the state is already so.

So a subject without the setter is asked everything that needs no setter.
"""

import re

_DRAWS = re.compile(
    "rand|normal|uniform|bernoulli|multinomial|poisson|exponential|geometric|cauchy|dropout|rng_state"
)
_UNINITIALIZED = re.compile("empty|resize|set_")


def default_dtype(name: str) -> tuple[str, ...]:
    """Return the steps after which a dtype is the default dtype."""
    return () if name == "float32" else (f"torch.set_default_dtype(torch.{name})",)


def default_device(text: str) -> tuple[str, ...]:
    """Return the steps after which a device, as source text, is the default device."""
    return () if text == "None" else (f"torch.set_default_device({text})",)


def seed(*steps: str) -> tuple[str, ...]:
    """Return the step after which both sides draw the same numbers, if any step draws some."""
    return ("torch.manual_seed(7).initial_seed()",) if any(map(_DRAWS.search, steps)) else ()


def filled_memory(*steps: str) -> tuple[str, ...]:
    """Return the step after which new memory is filled, if any step may not write all of it."""
    is_used = any(map(_UNINITIALIZED.search, steps))
    return ("torch.use_deterministic_algorithms(True)",) if is_used else ()
