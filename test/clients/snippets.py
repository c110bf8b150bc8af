"""How users of python-gitlab share snippets of their own and of projects; prints one word when all of it held."""

import sys

import gitlab

url, token, suffix = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
project = api.projects.create({"name": f"Snippets {suffix}"})

for place in (api, project):
    snippet = place.snippets.create({"title": "A file", "file_name": "a.txt", "content": "A", "visibility": "private"})
    assert snippet.file_name == "a.txt" and snippet.repository_storage == "default", snippet
    assert snippet.content() == b"A", snippet.content()
    snippet.title = "Other"
    snippet.visibility = "internal"
    snippet.files = [{"action": "update", "file_path": "a.txt", "content": "Other"}]
    snippet.save()
    again = place.snippets.get(snippet.id)
    assert (again.title, again.visibility, again.content()) == ("Other", "internal", b"Other"), again
    assert snippet.id in [one.id for one in place.snippets.list(get_all=True)]
    detail = snippet.user_agent_detail()
    assert detail["akismet_submitted"] is False and "python-gitlab" in detail["user_agent"], detail
    older = place.snippets.create({"title": "One", "file_name": "x", "content": "X", "visibility": "private"})
    assert older.content() == b"X"
    older.delete()

note = snippet.notes.create({"body": "Well said"})
assert note.noteable_type == "Snippet" and note.noteable_iid is None, note
note.body = "Very well said"
note.save()
assert [one.body for one in snippet.notes.list(get_all=True)] == ["Very well said"]
award = note.awardemojis.create({"name": "heart"})
award.delete()
snippet.awardemojis.create({"name": "tada"})
discussion = snippet.discussions.create({"body": "Why so?"})
discussion.notes.create({"body": "Because"})
assert len(snippet.discussions.get(discussion.id).attributes["notes"]) == 2
note.delete()
snippet.delete()
try:
    project.snippets.get(snippet.id)
    raise SystemExit("a deleted snippet is still there")
except gitlab.exceptions.GitlabGetError as error:
    assert error.response_code == 404 and error.error_message == "404 Snippet Not Found", error
project.delete()
print("held")
