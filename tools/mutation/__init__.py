"""Parts of tools/mutants.py: changes of code that a unit test should detect, and the tests that run for them."""
