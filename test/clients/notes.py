"""How users of python-gitlab discuss an issue; prints one word when all of it held."""

import sys

import gitlab

url, token, suffix = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
project = api.projects.create({"name": f"Notes {suffix}"})
issue = project.issues.create({"title": "It breaks", "description": "Always."})

note = issue.notes.create({"body": "Me too"})
assert note.author["username"] == "root" and not note.system, note
note.body = "Me *too*"
note.save()
assert issue.notes.get(note.id).body == "Me *too*"
for number in range(24):
    issue.notes.create({"body": f"note {number}", "internal": number % 2 == 0})
assert len(issue.notes.list(get_all=True, per_page=10)) == 25
assert len(issue.notes.list(iterator=True, per_page=7, order_by="updated_at", sort="asc")) == 25
assert sum(one.internal for one in issue.notes.list(get_all=True)) == 12
assert project.issues.get(issue.iid).user_notes_count == 25

discussion = issue.discussions.create({"body": "Why?"})
reply = discussion.notes.create({"body": "Because."})
reply.body = "Because!"
reply.save()
found = issue.discussions.get(discussion.id)
assert [one["body"] for one in found.attributes["notes"]] == ["Why?", "Because!"], found
assert found.notes.get(reply.id).body == "Because!"
assert len(issue.discussions.list(get_all=True, per_page=10)) == 26
found.notes.delete(reply.id)
assert len(issue.discussions.get(discussion.id).attributes["notes"]) == 1

note.delete()
try:
    issue.notes.get(note.id)
    raise SystemExit("a deleted note is still there")
except gitlab.exceptions.GitlabGetError as error:
    assert error.response_code == 404 and error.error_message == "404 Note Not Found", error
try:
    issue.notes.create({"body": ""})
    raise SystemExit("a blank note was accepted")
except gitlab.exceptions.GitlabCreateError as error:
    assert error.response_code == 400, error
project.delete()
print("held")
