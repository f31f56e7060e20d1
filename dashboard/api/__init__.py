"""The API: the same reads and writes as pages and commands, for programs that act by a token."""
