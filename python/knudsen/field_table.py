"""The table of the fields: names, symbols, units; written by `make docs` from src/config/quantities.h."""

QUANTITIES = \
[
  {"name": "rho", "symbol": "ρ", "label": "density", "components": [""], "column": "rho", "unit": "n0 eps", "description": "density deviation, (n - n0) / (n0 eps)"},
  {"name": "u", "symbol": "u", "label": "velocity", "components": ["x", "y", "z"], "column": "u", "unit": "V0 eps", "description": "bulk velocity"},
  {"name": "theta", "symbol": "θ", "label": "temperature", "components": [""], "column": "theta", "unit": "T0 eps", "description": "temperature deviation, (T - T0) / (T0 eps)"},
  {"name": "Pi", "symbol": "Π", "label": "stress", "components": ["xx", "yy", "zz", "xy", "xz", "yz"], "column": "P", "unit": "p0 eps", "description": "stress deviation, (p_ij - p0 delta_ij) / (p0 eps), order xx yy zz xy xz yz"},
  {"name": "q", "symbol": "q", "label": "heat flux", "components": ["x", "y", "z"], "column": "q", "unit": "p0 V0 eps", "description": "heat flux"}
]
