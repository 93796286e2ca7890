"""Runs of one case for several values of its keys: ``knudsen sweep`` and ``knudsen.sweep``."""
