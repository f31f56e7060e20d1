"""What stands around every page: addresses, the lens, search and problems."""
