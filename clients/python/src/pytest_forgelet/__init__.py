"""A pytest fixture that starts Forgelet, a server with a GitLab-compatible API."""

import pytest

from .server import Forgelet

__all__ = ["Forgelet", "forgelet", "forgelet_options", "forgelet_server"]


@pytest.fixture(scope="session")
def forgelet_options():
    """What the server starts with. Override it to return arguments of `Forgelet`: `{"plan": "ultimate", "seed": 7}`."""
    return {}


@pytest.fixture(scope="session")
def forgelet_server(forgelet_options):
    """One server for the whole run. Nothing is reset between tests."""
    with Forgelet(**forgelet_options) as server:
        yield server


@pytest.fixture
def forgelet(forgelet_server):
    """The server as it was after its start: no projects, ids from 1, its clock as at the beginning."""
    forgelet_server.reset()
    return forgelet_server
