"""Studies that make tables and figures from runs of the program: ``knudsen reproduce`` and its topics."""
