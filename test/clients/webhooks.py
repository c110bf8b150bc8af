"""What users of python-gitlab do with webhooks; prints one word when all of it held."""

import sys

import gitlab

url, token, suffix, receiver = sys.argv[1:5]
api = gitlab.Gitlab(url, private_token=token)
group = api.groups.create({"name": f"Hooks {suffix}", "path": f"hooks-{suffix}"})
project = api.projects.create({"name": "App", "namespace_id": group.id})
project.issues.create({"title": "Sample"})

for place in (project, group, api):
    hook = place.hooks.create({"url": receiver, "push_events": 1, "token": "secret"})
    assert hook.url == receiver and hook.push_events is True, hook
    assert not hasattr(hook, "token") or hook.token is None, hook
    assert hook.id in [one.id for one in place.hooks.list(get_all=True)]
    assert place.hooks.get(hook.id).alert_status == "executable"

hook = project.hooks.list(get_all=True)[0]
hook.issues_events = 1
hook.save()
assert project.hooks.get(hook.id).issues_events is True
api.http_post(f"/projects/{project.id}/hooks/{hook.id}/test/issues_events")
sent = api.http_list(f"/projects/{project.id}/hooks/{hook.id}/events", get_all=True)
assert sent[0]["response_status"] == "200", sent
assert sent[0]["request_data"]["object_attributes"]["title"] == "Sample", sent
again = api.http_post(f"/projects/{project.id}/hooks/{hook.id}/events/{sent[0]['id']}/resend")
assert again == {"response_status": 200}, again
try:
    project.hooks.create({"url": "http://10.0.0.1/"})
    raise SystemExit("the server accepted an address of its network")
except gitlab.exceptions.GitlabCreateError as error:
    assert error.response_code == 422, error
for place in (project, group, api):
    for one in place.hooks.list(get_all=True):
        if one.url == receiver:
            place.hooks.delete(one.id)
assert project.hooks.list(get_all=True) == []
print("held")
