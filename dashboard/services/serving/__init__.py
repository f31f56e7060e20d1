"""`serve`: the web server, the workers and the embedded broker, started and ended together."""
