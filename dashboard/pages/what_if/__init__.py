"""The page What-if: what a configuration set by hand would take, what is better near it, and the best there is."""
