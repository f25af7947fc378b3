"""What tools/house.py counts. Each figure is one function; its docstring says what is counted, so that a person can count again."""
