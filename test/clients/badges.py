"""What users of python-gitlab do with badges; prints one word when all of it held."""

import sys

import gitlab

url, token, suffix = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
group = api.groups.create({"name": f"Badges {suffix}", "path": f"badges-{suffix}"})
project = api.projects.create({"name": "App", "namespace_id": group.id})
link, image = "https://ci.example.com/%{project_path}/%{project_id}", "https://ci.example.com/badge.svg"
rendered = f"https://ci.example.com/{project.path_with_namespace}/{project.id}"

for place, kind in ((project, "project"), (group, "group")):
    made = place.badges.create({"link_url": link, "image_url": image, "name": "Coverage"})
    assert (made.kind, made.link_url, made.rendered_link_url) == (kind, link, rendered), made
    preview = place.badges.render(link, image)
    assert preview["rendered_link_url"] == rendered and preview["rendered_image_url"] == image, preview
    assert "id" not in preview, preview
    made.image_url = "http://ci.example.com/other.svg"
    made.save()
    assert place.badges.get(made.id).image_url == "http://ci.example.com/other.svg"
    assert place.badges.get(made.id).link_url == link
    assert made.id in [one.id for one in place.badges.list(get_all=True, name="Coverage")]
    assert place.badges.list(get_all=True, name="coverage") == []
    try:
        place.badges.create({"link_url": "javascript:alert(1)", "image_url": image})
        raise SystemExit("the server accepted a script as a link")
    except gitlab.exceptions.GitlabCreateError as error:
        assert error.response_code == 400 and "link_url" in str(error), error

own, inherited = project.badges.list(get_all=True)
assert (own.kind, inherited.kind) == ("project", "group"), (own, inherited)
try:
    inherited.delete()
    raise SystemExit("a project deleted the badge of its group")
except gitlab.exceptions.GitlabDeleteError as error:
    assert error.response_code == 403 and f"/groups/badges-{suffix}/badges/{inherited.id}" in str(error), error
own.delete()
group.badges.delete(inherited.id)
assert project.badges.list(get_all=True) == []
print("held")
