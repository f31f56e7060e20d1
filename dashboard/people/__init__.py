"""Pages about people: members of a system and invitations into it.

They are plain pages with forms rather than pages of the explorer: no secret passes a callback, they work for who is not
signed in yet, and Django's forms, CSRF check and password validators cover them as they stand.
"""
