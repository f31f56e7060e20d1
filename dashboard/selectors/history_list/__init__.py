"""The list of the histories of a system: of benchmarks from stored fits, of any other system fitted as it is read."""
