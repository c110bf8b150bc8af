"""How users of python-gitlab read a repository; prints one word when all of it held."""

import base64
import sys

import gitlab

url, token, project_id = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
project = api.projects.get(project_id)

tree = project.repository_tree(get_all=True)
assert [one["path"] for one in tree] == ["src", "README.md"], tree
deep = project.repository_tree(recursive=True, iterator=True, pagination="keyset", order_by="id", per_page=1)
assert sorted(one["path"] for one in deep) == ["README.md", "src", "src/main.ts"]
blob = project.repository_blob(tree[1]["id"])
assert base64.b64decode(blob["content"]) == b"# Sample\n\nMore.\n", blob
assert project.repository_raw_blob(tree[1]["id"]) == b"# Sample\n\nMore.\n"

commits = project.commits.list(get_all=True, ref_name="main")
assert [one.title for one in commits] == ["Say more", "Begin"], commits
assert [one.title for one in project.commits.list(iterator=True, per_page=1)] == ["Say more", "Begin"]
commit = project.commits.get("main")
assert commit.stats["additions"] == 2 and commit.project_id == project.id, commit
assert commit.diff()[0]["new_path"] == "README.md"
assert {"type": "branch", "name": "main"} in commit.refs()
assert commit.comments.list() == [] and commit.discussions.list() == [] and commit.merge_requests() == []
try:
    commit.signature()
    raise SystemExit("an unsigned commit has a signature")
except gitlab.exceptions.GitlabGetError as error:
    assert error.response_code == 404, error
assert project.commits.get("signed").signature()["signature_type"] == "PGP"

commit.statuses.create({"state": "running", "name": "build"})
status = commit.statuses.create({"state": "success", "name": "build", "target_url": "https://ci.example.com/1"})
assert status.status == "success", status
assert [one.name for one in commit.statuses.list()] == ["build"]
assert project.commits.get("main").status == "success"

file = project.files.get(file_path="src/main.ts", ref="main")
assert file.decode() == b"export {}\n" and file.last_commit_id == commits[1].id, file
assert project.files.raw(file_path="README.md", ref="main") == b"# Sample\n\nMore.\n"
blame = project.files.blame(file_path="README.md", ref="main")
assert [one["lines"] for one in blame] == [["# Sample"], ["", "More."]], blame
assert project.files.head("README.md", ref="main")["X-Gitlab-Size"] == "16"
try:
    project.files.get(file_path="missing", ref="main")
    raise SystemExit("a missing file is there")
except gitlab.exceptions.GitlabGetError as error:
    assert error.error_message == "404 File Not Found", error

comparison = project.repository_compare("main~1", "main")
assert [one["title"] for one in comparison["commits"]] == ["Say more"], comparison
assert project.repository_merge_base(["main", "signed"])["id"] == commits[1].id
assert project.repository_contributors()[0]["commits"] == 2
assert project.repository_archive(format="zip")[:2] == b"PK"
assert project.repository_archive()[:2] == b"\x1f\x8b"
assert project.languages() == {"TypeScript": 100.0}, project.languages()
print("held")
