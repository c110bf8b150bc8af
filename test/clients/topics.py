"""What users of python-gitlab do with topics and avatars; prints one word when all of it held."""

import base64
import sys

import gitlab

url, token, suffix, picture = sys.argv[1:5]
image = base64.b64decode(picture)
api = gitlab.Gitlab(url, private_token=token)

topic = api.topics.create({"name": f"py-{suffix}", "title": "Python", "description": "A language"})
assert (topic.name, topic.total_projects_count, topic.avatar_url) == (f"py-{suffix}", 0, None), topic
topic.avatar = image
topic.title = "The language"
topic.save()
topic = api.topics.get(topic.id)
assert topic.title == "The language"
assert topic.avatar_url.endswith("/avatar.png"), topic
answer = api.http_get(topic.avatar_url, raw=True)
assert answer.headers["Content-Type"] == "image/png"
assert answer.content == image
topic.avatar = ""
topic.save()
assert api.topics.get(topic.id).avatar_url is None
assert [one.id for one in api.topics.list(search=f"py-{suffix}", iterator=True)] == [topic.id]
try:
    api.topics.create({"name": f"PY-{suffix}", "title": "x"})
    raise SystemExit("a taken name was accepted")
except gitlab.exceptions.GitlabCreateError as error:
    assert error.response_code == 400, error

project = api.projects.create({"name": f"Py {suffix}", "topics": [f"py-{suffix}", f"new-{suffix}"]})
assert project.topics == [f"new-{suffix}", f"py-{suffix}"], project.topics
assert [one.id for one in api.projects.list(topic=f"py-{suffix}", get_all=True)] == [project.id]
project.topics = [f"new-{suffix}"]
project.save()
project.avatar = image
project.save()
assert api.projects.get(project.id).topics == [f"new-{suffix}"]
assert api.projects.get(project.id).avatar_url.endswith("/avatar.png")
(made,) = api.topics.list(search=f"new-{suffix}", get_all=True)
assert made.total_projects_count == 1
merged = api.topics.merge(made.id, topic.id)
assert merged["id"] == topic.id
assert api.projects.get(project.id).topics == [f"py-{suffix}"]
topic.delete()
assert api.projects.get(project.id).topics == []

user = api.users.create(
    {
        "username": f"py-{suffix}-user",
        "name": "Py",
        "email": f"py-{suffix}@example.com",
        "force_random_password": True,
        "avatar": image,
    }
)
assert user.avatar_url.endswith(f"/user/avatar/{user.id}/avatar.png")
group = api.groups.create({"name": "x", "path": f"py-{suffix}-group"})
group.avatar = image
group.save()
assert api.groups.get(group.id).avatar_url.endswith(f"/group/avatar/{group.id}/avatar.png")
print("held")
