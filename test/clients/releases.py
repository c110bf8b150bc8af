"""What users of python-gitlab do with releases; prints one word when all of it held."""

import sys

import gitlab

url, token, suffix = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
project = api.projects.create({"name": f"Released {suffix}", "initialize_with_readme": True})
sha = project.commits.get("main").id

link = {"name": "tool", "url": "https://example.org/tool", "direct_asset_path": "/tool"}
release = project.releases.create(
    {"name": "One", "tag_name": "v1", "ref": "main", "description": "What is new", "assets": {"links": [link]}}
)
assert (release.tag_name, release.commit["id"], release.assets["count"]) == ("v1", sha, 5), release
assert project.tags.get("v1").release == {"tag_name": "v1", "description": "What is new"}
assert [one.tag_name for one in project.releases.list(get_all=True)] == ["v1"]
release.description = "What is newer"
release.save()
assert project.releases.get("v1").description == "What is newer"

more = release.links.create({"name": "notes", "url": "https://example.org/notes", "link_type": "runbook"})
more.name = "Notes"
more.save()
assert [one.name for one in release.links.list(get_all=True)] == ["tool", "Notes"]
more.delete()
assert [one.name for one in release.links.list(get_all=True)] == ["tool"]

try:
    project.releases.create({"tag_name": "v1", "description": "Again"})
    raise SystemExit("the server took two releases of one tag")
except gitlab.exceptions.GitlabCreateError as error:
    assert error.response_code == 409, error
project.releases.delete("v1")
assert project.releases.list(get_all=True) == []
assert project.tags.get("v1").release is None
print("held")
