"""What runs inside a measured Python program: standard library only, imports nothing of ours.

The runner copies this package under a private name next to the program and starts it there, so that none of our
other folders can shadow a module of the program. All imports in here are therefore relative.
"""
