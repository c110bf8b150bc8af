"""How users of python-gitlab read and poll activity events; prints one word when all of it held."""

import sys
import time

import gitlab

url, token, suffix = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
api.auth()
project = api.projects.create({"name": f"Events {suffix}", "path": f"events-{suffix}", "initialize_with_readme": True})
issue = project.issues.create({"title": "Talk"})
note = issue.notes.create({"body": "Well."})
issue.state_event = "close"
issue.save()

names = [event.action_name for event in project.events.list(get_all=True)]
assert names[:3] == ["closed", "commented on", "opened"], names
assert set(names[3:]) == {"pushed new", "created"}, names
pushed = project.events.list(action="pushed", get_all=True)[0]
assert pushed.push_data["ref"] == "main" and pushed.push_data["commit_count"] == 1, pushed.push_data
commented = api.events.list(target_type="note", per_page=1, page=1)[0]
assert commented.note["id"] == note.id and commented.note["body"] == "Well.", commented
assert commented.target_title == "Talk" and commented.author_username == api.user.username

user = api.users.get(api.user.id)
own = user.events.list(action="closed", per_page=5, page=1)
assert own[0].target_id == issue.id, own
pages = project.events.list(iterator=True, per_page=2)
assert pages.total == len(list(pages)) == 5, pages.total

# Pages by keys wait for transactions that began before, also for those of others.
patience = time.monotonic() + 40
polled = []
while len(polled) < 5 and time.monotonic() < patience:
    polled = list(project.events.list(iterator=True, pagination="keyset", sort="asc", per_page=2))
    time.sleep(0.05)
assert [event.id for event in polled] == sorted(event.id for event in polled) and len(polled) == 5, polled
try:
    api.events.list(action="sneezed")
    raise AssertionError("There is no such action")
except gitlab.GitlabListError as error:
    assert error.response_code == 400, error
print("held")
