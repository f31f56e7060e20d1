"""Research with the product: published tables made again, and models judged on systems whose truth is known.

Nothing of the product imports it, but the commands that start a study (`dashboard.management`). A study calls what the
product calls, so that its figures are the product's.
"""
