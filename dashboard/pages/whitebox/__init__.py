"""What an analysis found: which option reaches which region, what nobody reads, what could not be followed."""
