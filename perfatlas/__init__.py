"""The client: what continuous integration asks and sends by the API, with the standard library alone."""
