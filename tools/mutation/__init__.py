"""What tools/mutants.py is made of: changes of code that a unit test ought to notice, and whether one does."""
