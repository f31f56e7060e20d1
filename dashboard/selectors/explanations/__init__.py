"""What a step of a history is made of, and what differs in the source between two revisions."""
