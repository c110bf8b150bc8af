"""How users of python-gitlab import and export projects; prints one word when all of it held."""

import sys
import time

import gitlab

url, token, source, name = sys.argv[1:5]
api = gitlab.Gitlab(url, private_token=token)


def ended(manager):
    for _ in range(400):
        found = manager.get()
        status = getattr(found, "export_status", None) or found.import_status
        if status in ("finished", "failed"):
            return found
        time.sleep(0.1)
    raise SystemExit("it takes too long")


project = api.projects.create({"name": name, "import_url": source})
assert project.import_type == "git", project
project_import = ended(project.imports)
assert project_import.import_status == "finished", project_import
project = api.projects.get(project.id)
assert project.default_branch == "trunk" and project.import_url == source, project
project.issues.create({"title": "Exported"})

project.exports.create()
project_export = ended(project.exports)
assert project_export.export_status == "finished", project_export
archive = project_export.download()
assert archive[:2] == b"\x1f\x8b"

made = api.projects.import_project(archive, path=f"{name}-again", override_params={"description": "Again"})
again = api.projects.get(made["id"], lazy=True)
assert ended(again.imports).import_status == "finished"
again = api.projects.get(made["id"])
assert again.description == "Again" and again.path == f"{name}-again", again
assert [issue.title for issue in again.issues.list(get_all=True)] == ["Exported"]
assert [branch.name for branch in again.branches.list(get_all=True)] == ["trunk"]

try:
    api.projects.create({"name": f"{name}-inside", "import_url": "http://169.254.169.254/a.git"})
    raise SystemExit("a local address is imported from")
except gitlab.exceptions.GitlabCreateError as error:
    assert error.response_code == 400, error

print("held")
