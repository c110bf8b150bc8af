"""How users of python-gitlab discuss a commit; prints one word when all of it held."""

import sys

import gitlab

url, token, project_id = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
project = api.projects.get(project_id)
commit = project.commits.get("main")

assert commit.comments.create({"note": "Nice"}).note == "Nice"
comment = commit.comments.create({"note": "More?", "path": "README.md", "line": 3, "line_type": "new"})
assert (comment.path, comment.line, comment.line_type) == ("README.md", 3, "new"), comment
assert [one.note for one in commit.comments.list(get_all=True, per_page=1)] == ["Nice", "More?"]

base = commit.parent_ids[0]
position = {"base_sha": base, "start_sha": base, "head_sha": commit.id, "position_type": "text"}
thread = commit.discussions.create({"body": "Why?", "position": {**position, "new_path": "README.md", "new_line": 3}})
note = thread.attributes["notes"][0]
assert (note["type"], note["noteable_id"]) == ("DiffNote", None) and "commit_id" not in note, note
reply = thread.notes.create({"body": "Because."})
reply.body = "Because!"
reply.save()
assert [one["body"] for one in commit.discussions.get(thread.id).attributes["notes"]] == ["Why?", "Because!"]
assert len(commit.discussions.list(get_all=True)) == 3
reply.delete()
assert len(commit.discussions.get(thread.id).attributes["notes"]) == 1
try:
    commit.discussions.get("0" * 40)
    raise SystemExit("a missing discussion is there")
except gitlab.exceptions.GitlabGetError as error:
    assert error.error_message == "404 Discussion Not Found", error

issue = project.issues.create({"title": "It breaks"})
actions = [{"action": "create", "file_path": "fix", "content": ""}]
fix = project.commits.create({"branch": "main", "commit_message": f"Closes #{issue.iid}", "actions": actions})
assert project.issues.get(issue.iid).state == "closed"
event = project.issues.get(issue.iid).resourcestateevents.list()[0]
assert (event.state, event.source_commit) == ("closed", fix.id), event

signature = project.commits.get("signed").signature()
assert (signature["signature_type"], signature["verification_status"]) == ("PGP", "unverified"), signature
print("held")
