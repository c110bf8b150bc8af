"""Runs scripts one after the other in one interpreter: starting it and loading python-gitlab takes longer than most of them."""

import contextlib
import io
import json
import runpy
import sys
import traceback

import gitlab  # noqa: F401

for line in sys.stdin:
    sys.argv = json.loads(line)
    output = io.StringIO()
    failure = None
    try:
        with contextlib.redirect_stdout(output):
            runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as end:
        failure = str(end.code) if end.code else None
    except BaseException:
        failure = traceback.format_exc()
    print(json.dumps({"output": output.getvalue(), "failure": failure}), flush=True)
