"""The hybrid model: white-box candidates, noise-free counts and measured times in one sum of terms."""
