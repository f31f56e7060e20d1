"""What the Makefile calls: the virtual environment, the demo, the test suite, the checks, generated documents."""
