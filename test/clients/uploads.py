"""How users of python-gitlab upload files; prints one word when all of it held."""

import sys
import tempfile

import gitlab

url, token, suffix = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
project = api.projects.create({"name": f"Uploads {suffix}"})

text = project.upload("ä notes.txt", filedata="Text")
assert text["markdown"] == f"[ä_notes.txt]({text['url']})", text
with tempfile.NamedTemporaryFile(suffix=".png") as file:
    file.write(b"png")
    file.flush()
    picture = project.upload("dot.png", filepath=file.name)
assert picture["alt"] == "dot" and picture["markdown"] == f"![dot]({picture['url']})", picture

issue = project.issues.create({"title": "See", "description": picture["markdown"]})
assert picture["url"] in issue.description
assert api.http_get(f"/projects/{project.id}{picture['url']}", raw=True).content == b"png"
assert api.session.get(f"{url}/-/project/{project.id}{text['url']}", headers=api.headers).content == b"Text"
listed = api.http_list(f"/projects/{project.id}/uploads", get_all=True)
assert [one["filename"] for one in listed] == ["dot.png", "ä_notes.txt"], listed
api.http_delete(f"/projects/{project.id}/uploads/{listed[0]['id']}")
assert len(api.http_list(f"/projects/{project.id}/uploads", get_all=True)) == 1

print("held")
