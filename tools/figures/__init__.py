"""The figures of tools/house.py. Each figure is one function, whose docstring defines what is counted."""
