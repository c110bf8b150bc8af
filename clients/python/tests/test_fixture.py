import json
import os
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone

import pytest

from pytest_forgelet import Forgelet


def ask(server, path, data=None):
    request = urllib.request.Request(f"{server.url}/api/v4/{path}", headers={"PRIVATE-TOKEN": server.token})
    if data is not None:
        request.data = json.dumps(data).encode()
        request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def record(server):
    """The answers that a test could keep."""
    project = ask(server, "projects", {"name": "shop"})
    body = {"name": "robot", "scopes": ["api"], "expires_at": "2030-02-01"}
    return project, ask(server, f"projects/{project['id']}/access_tokens", body)


@pytest.mark.parametrize("_time", ["first", "second"])
def test_each_test_finds_a_fresh_server(forgelet, _time):
    assert ask(forgelet, "projects") == []
    assert ask(forgelet, "projects", {"name": "shop"})["id"] == 1


def test_answers_follow_from_the_seed(forgelet):
    first = record(forgelet)
    forgelet.reset()
    assert record(forgelet) == first
    forgelet.reset()
    forgelet.seed(8)
    assert record(forgelet) != first


def test_the_clock_is_that_of_the_test(forgelet):
    assert forgelet.now() == datetime(2030, 1, 1, tzinfo=timezone.utc)
    assert forgelet.advance(days=1) == datetime(2030, 1, 2, tzinfo=timezone.utc)
    assert forgelet.set_clock(datetime(2040, 5, 6, tzinfo=timezone.utc)) == forgelet.now()
    assert ask(forgelet, "projects", {"name": "shop"})["created_at"] == "2040-05-06T00:00:00.000Z"


def test_a_job_ends_as_the_test_says(forgelet):
    ask(forgelet, "projects", {"name": "shop"})
    file = {"branch": "main", "commit_message": "Build", "content": "build: { script: make }"}
    ask(forgelet, "projects/1/repository/files/.gitlab-ci.yml", file)
    pipeline = ask(forgelet, "projects/1/pipeline", {"ref": "main"})
    jobs = f"projects/1/pipelines/{pipeline['id']}/jobs"
    forgelet.run_job(ask(forgelet, jobs)[0]["id"], log="made\n", artifacts={"shop.txt": "shop"})
    [job] = ask(forgelet, jobs)
    assert [job["status"], job["artifacts_file"]["filename"]] == ["success", "artifacts.zip"]


def test_the_license_is_that_of_the_plan(forgelet):
    assert ask(forgelet, "license")["plan"] == "ultimate"


def test_a_server_that_does_not_start_says_why():
    with pytest.raises(RuntimeError, match='there is no plan "gold"'):
        Forgelet(plan="gold").start()


def test_nothing_is_left_at_the_end():
    with Forgelet() as server:
        os.kill(server.pid, 0)
        url, pid = server.url, server.pid
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url, timeout=5)
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    pytest.fail(f"process {pid} is left")
