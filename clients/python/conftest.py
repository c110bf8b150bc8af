import pytest

# Only here, where the package is not installed.
pytest_plugins = ["pytest_forgelet"]


@pytest.fixture(scope="session")
def forgelet_options():
    return {"seed": 7, "plan": "ultimate"}
