"""How users of python-gitlab write to a repository; prints one word when all of it held."""

import sys

import gitlab

url, token, project_id, maintainer = sys.argv[1:5]
api = gitlab.Gitlab(url, private_token=token)
project = api.projects.get(project_id)

branch = project.branches.create({"branch": "feature/a.b", "ref": "main"})
assert branch.name == "feature/a.b" and not branch.protected, branch
assert project.branches.get("feature/a.b").commit["id"] == branch.commit["id"]
assert [one.name for one in project.branches.list(search="^feature", get_all=True)] == ["feature/a.b"]
branch.delete()
try:
    project.branches.get("feature/a.b")
    raise SystemExit("a deleted branch is there")
except gitlab.exceptions.GitlabGetError as error:
    assert error.response_code == 404, error

commit = project.commits.create(
    {
        "branch": "work",
        "start_branch": "main",
        "commit_message": "Work",
        "actions": [
            {"action": "create", "file_path": "a.txt", "content": "a\n"},
            {"action": "delete", "file_path": "README.md"},
        ],
    }
)
assert commit.title == "Work" and commit.stats["total"] == 4, commit
picked = project.branches.create({"branch": "picked", "ref": "main"})
commit.cherry_pick(branch="picked")
assert project.files.get(file_path="a.txt", ref="picked").decode() == b"a\n"
project.commits.get("picked").revert(branch="picked")
assert project.files.raw(file_path="README.md", ref="picked").startswith(b"# Sample")

file = project.files.create(
    {"file_path": "src/b.txt", "branch": "work", "content": "b", "commit_message": "Add b"}
)
assert file.file_path == "src/b.txt", file
file = project.files.get(file_path="src/b.txt", ref="work")
file.content = "bb"
file.save(branch="work", commit_message="Change b")
assert project.files.raw(file_path="src/b.txt", ref="work") == b"bb"
file.delete(branch="work", commit_message="Remove b")

tag = project.tags.create({"tag_name": "v1.0", "ref": "main", "message": "First"})
assert tag.message == "First" and tag.target != tag.commit["id"], tag
assert "v1.0" in [one.name for one in project.tags.list(iterator=True)]
tag.delete()
project.delete_merged_branches()

mine = gitlab.Gitlab(url, private_token=maintainer).projects.get(project_id)
protected = mine.protectedbranches.create({"name": "rel*", "push_access_level": 0})
assert protected.push_access_levels[0]["access_level"] == 0, protected
assert mine.protectedbranches.get("rel*").name == "rel*"
try:
    project.branches.create({"branch": "rel1", "ref": "main"})
    raise SystemExit("a protected branch was made")
except gitlab.exceptions.GitlabCreateError as error:
    assert error.response_code == 403, error
protected.delete()
assert mine.protectedtags.create({"name": "v*", "create_access_level": 30}).name == "v*"
assert [one.name for one in mine.protectedtags.list(get_all=True)] == ["v*"]

fork = project.forks.create({"path": "copy", "name": "copy"})
assert fork.forked_from_project["id"] == project.id, fork
assert [one.id for one in project.forks.list(get_all=True)] == [fork.id]
api.projects.get(fork.id).delete_fork_relation()
assert project.forks.list(get_all=True) == []
print("held")
