"""Numbers with their errors, and deviations, as text."""

import math

_MOST_DECIMALS = 9
_WIDE = 0.01  # of the value


def with_error(value, error):
    """0.34073(12): two digits of the error, one where the second is 0.

    An error of more than a hundredth is written in full, 0.0863 +- 0.060, since digits in brackets would hide those
    by which value and reference differ.
    """
    if value is None or math.isnan(value):
        return "nan"
    if error is None or not error > 10**-_MOST_DECIMALS:
        return f"{value:.7g}"
    decimals = 1 - math.floor(math.log10(error))
    if error > _WIDE * abs(value):
        shown = max(decimals, 0)
        own = min(_MOST_DECIMALS, 2 - math.floor(math.log10(abs(value)))) if value != 0 else 0
        return f"{value:.{max(own, shown)}f} +- {error:.{shown}f}"
    digits = math.floor(error * 10**decimals + 0.5)
    if digits % 10 == 0:
        decimals, digits = decimals - 1, digits // 10
    return f"{value:.{decimals}f}({digits})" if decimals > 0 else f"{value:.0f}({error:.0f})"


def deviation(entry, name, sign=False):
    """A deviation of a check in per cent of the reference if the check is that sharp, else as it is."""
    number, reference = entry[name], abs(entry["reference"])
    if number is None:
        return "nan"
    limit = entry["tolerance"] if entry["bar"] is None else entry["bar"]
    plus = "+" if sign else ""
    absolute = entry["bar"] is not None and entry["quantity"].endswith(".phase")  # radians
    if limit is not None and limit < 0.1 * reference and not absolute:
        return f"{100 * number / reference:{plus}.3f} %"
    return f"{number:{plus}.2g}"
