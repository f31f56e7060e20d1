"""Models learned from whole runs: learned, stored, compared."""
