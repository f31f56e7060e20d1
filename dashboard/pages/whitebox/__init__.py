"""What an analysis found: which option reaches which function, what nobody reads, what could not be followed."""
