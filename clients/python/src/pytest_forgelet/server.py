"""A Forgelet of one's own. It needs nothing but Python."""

import json
import os
import pathlib
import shlex
import subprocess
import tempfile
import time
import urllib.request
from datetime import datetime, timedelta


class Forgelet:
    """A server with a database of its own, which is gone at the end. Use it in a `with` statement.

    command: how to start it; by default the environment variable TEST_FORGELET_COMMAND, or `npx forgelet`.
    plan: "premium" or "ultimate", for a license that opens the licensed areas.
    seed: a number that makes ids, times and secrets the same in each run.
    patience: how many seconds it may take to start.
    """

    def __init__(self, command=None, plan=None, seed=None, patience=60):
        self._command = command or shlex.split(os.environ.get("TEST_FORGELET_COMMAND", "npx forgelet"))
        self._options = ["--ephemeral", "--exit-with-stdin"]
        if plan is not None:
            self._options += ["--plan", plan]
        if seed is not None:
            self._options += ["--seed", str(seed)]
        self._patience = patience
        self._process = None
        #: The URL of the server, without a slash at the end.
        self.url = None
        #: A token of the administrator `root`.
        self.token = None
        self.pid = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        """Starts the server and waits until it is ready."""
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as output:
            ready = pathlib.Path(folder, "ready.json")
            self._process = subprocess.Popen(
                [*self._command, *self._options, "--ready-file", str(ready)],
                env={"FORGELET_PORT": "0", **os.environ},
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
            )
            try:
                self._wait_for(ready, output)
            except BaseException:
                self.stop()
                raise
            found = json.loads(ready.read_text())
            self.url, self.token, self.pid = found["url"], found["token"], found["pid"]

    def _wait_for(self, ready, output):
        deadline = time.monotonic() + self._patience
        while not ready.exists():
            code = self._process.poll()
            if code is not None or time.monotonic() > deadline:
                output.seek(0)
                how = f"took longer than {self._patience} s" if code is None else f"ended with {code}"
                raise RuntimeError(f"Forgelet {how}:\n{output.read().decode(errors='replace')}")
            time.sleep(0.02)

    def stop(self):
        """Stops the server, which removes its data."""
        if self._process is None:
            return
        # The server ends with its standard input, whatever stands between it and us.
        self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def reset(self):
        """Returns everything to the state after the start, in milliseconds."""
        self._ask("POST", "reset")

    def now(self):
        """The moment that the server takes for the present, as a datetime."""
        return _moment(self._ask("GET", "clock"))

    def set_clock(self, now, stopped=None):
        """Sets the clock, and with `stopped` stops it or lets it go on."""
        return _moment(self._ask("POST", "clock", {"now": now.isoformat(), "stopped": stopped}))

    def advance(self, duration=None, **units):
        """Moves the clock on: `advance(timedelta(days=1))` or `advance(days=1)`."""
        seconds = (duration or timedelta(**units)).total_seconds()
        return _moment(self._ask("POST", "clock", {"advance": int(seconds)}))

    def seed(self, number):
        """Makes ids and secrets follow from a number from now on."""
        self._ask("POST", "seed", {"seed": number})

    def run_job(self, id, status="success", **outcome):
        """Starts or ends a job of a pipeline, as a runner would.

        status: "running", "success", "failed" or "canceled".
        outcome: `log`, `coverage`, `failure_reason`; `artifacts` and `reports` are dicts of texts.
        """
        self._ask("POST", f"jobs/{id}", {"status": status, **outcome})

    def _ask(self, method, what, parameters=None):
        sent = {name: value for name, value in (parameters or {}).items() if value is not None}
        request = urllib.request.Request(
            f"{self.url}/-/testing/{what}",
            data=json.dumps(sent).encode() if method == "POST" else None,
            headers={"PRIVATE-TOKEN": self.token, "Content-Type": "application/json"},
            method=method,
        )
        # A proxy that the environment names is not meant for this server.
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
            body = answer.read()
        return json.loads(body) if body else None


def _moment(answer):
    return datetime.fromisoformat(answer["now"].replace("Z", "+00:00"))
