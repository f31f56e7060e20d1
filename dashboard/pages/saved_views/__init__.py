"""Views that people keep by a name: the dialog that saves one, and the page that lists them."""
