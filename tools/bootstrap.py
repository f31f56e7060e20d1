"""The first step of every make target: `python3 tools/bootstrap.py requirements.txt`.

Any Python can read this file, so that a wrong one gets a clear line instead of a syntax error.
"""

import os
import runpy
import sys

if sys.version_info < (3, 11):
    sys.exit(
        "Perfatlas needs Python 3.11 or newer; %s is Python %s. "
        "Name another one, as in: make demo PYTHON=python3.12" % (sys.executable, sys.version.split()[0])
    )
here = os.path.dirname(os.path.abspath(__file__))
runpy.run_path(os.path.join(here, "environment.py"), run_name="__main__")
