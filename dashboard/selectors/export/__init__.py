"""The content of one system as the records of a bundle."""
