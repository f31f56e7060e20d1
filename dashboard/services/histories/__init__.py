"""Points of histories and terms, and the fits that are stored of them."""
