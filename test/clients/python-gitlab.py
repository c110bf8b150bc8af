"""What users of python-gitlab do, from a group to labels; prints one word when all of it held."""

import sys

import gitlab

url, token, suffix = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
api.auth()
assert api.user.username == "root"
assert api.version()[0].split(".")[0].isdigit()

group = api.groups.create({"name": f"Py {suffix}", "path": f"py-{suffix}", "visibility": "internal"})
child = api.groups.create({"name": "Sub", "path": "sub", "parent_id": group.id})
assert child.full_path == f"py-{suffix}/sub"
project = api.projects.create({"name": "App", "namespace_id": child.id})
assert project.path_with_namespace == f"py-{suffix}/sub/app"
assert api.projects.get(project.path_with_namespace).id == project.id

label = project.labels.create({"name": "bug", "color": "#d9534f", "description": "A fault"})
label.new_name, label.color = "defect", "#00ff00"
label.save()
assert [one.name for one in project.labels.list(get_all=True)] == ["defect"]
for number in range(30):
    project.labels.create({"name": f"label {number:02}", "color": "red"})
assert len(project.labels.list(get_all=True, per_page=7)) == 31
assert len(project.labels.list(iterator=True)) == 31
project.labels.delete("defect")

milestone = project.milestones.create({"title": "1.0", "due_date": "2030-02-01"})
shared = group.milestones.create({"title": "All year"})
assert [one.id for one in project.milestones.list(iids=[milestone.iid], get_all=True)] == [milestone.id]
assert [one.title for one in project.milestones.list(include_ancestors=True, get_all=True)] == ["All year", "1.0"]
issue = project.issues.create({"title": "Plan", "milestone_id": milestone.id})
assert [one.iid for one in milestone.issues()] == [issue.iid]
assert list(milestone.merge_requests()) == list(shared.merge_requests()) == []
for one in (milestone, shared):
    one.state_event = "close"
    one.save()
assert project.milestones.get(milestone.id).state == "closed"
assert [one.id for one in group.milestones.list(state="closed", get_all=True)] == [shared.id]
assert list(shared.issues()) == []
milestone.delete()
shared.delete()
assert project.milestones.list(include_ancestors=True, get_all=True) == []
assert project.issues.get(issue.iid).milestone is None

ours = group.labels.create({"name": "ours", "color": "red"})
ours.new_name = "everybody's"
ours.save()
assert [one.name for one in group.labels.list(get_all=True)] == ["everybody's"]
group.labels.delete("everybody's")
assert group.labels.list(get_all=True) == []

user = api.users.create(
    {"username": f"py-{suffix}-user", "name": "Py", "email": f"py-{suffix}@example.com", "force_random_password": True}
)
member = project.members.create({"user_id": user.id, "access_level": gitlab.const.AccessLevel.DEVELOPER})
member.access_level = gitlab.const.AccessLevel.MAINTAINER
member.save()
assert [one.id for one in project.members_all.list(get_all=True) if one.access_level == 40] == [user.id]
secret = user.personal_access_tokens.create({"name": "mine", "scopes": ["api"]}).token
user.provider, user.extern_uid = "saml", f"py-{suffix}"
user.save()
assert [one["extern_uid"] for one in api.users.get(user.id).identities] == [f"py-{suffix}"]
assert user.unblock() is False and user.block() is True and user.unblock() is True
bot = gitlab.Gitlab(url, private_token=project.access_tokens.create({"name": "bot", "scopes": ["api"]}).token)
assert bot.http_get("/personal_access_tokens/self")["expires_at"]
mine = gitlab.Gitlab(url, private_token=secret)
mine.auth()
assert mine.user.id == user.id
assert [one.id for one in mine.projects.list(membership=True, get_all=True)] == [project.id]
try:
    mine.groups.create({"name": "x", "path": f"py-{suffix}"})
    raise SystemExit("a taken path was accepted")
except gitlab.exceptions.GitlabCreateError as error:
    assert error.response_code == 400, error

more = [project.id, *(api.projects.create({"name": name, "namespace_id": group.id}).id for name in "abc")]
many = api.projects.list(
    pagination="keyset", order_by="id", sort="asc", per_page=2, search=group.path,
    search_namespaces=True, get_all=True,
)
assert [one.id for one in many] == more

issue = project.issues.create({"title": "It breaks", "labels": ["bug"]})
vote = issue.awardemojis.create({"name": "thumbsup"})
assert vote.user["username"] == "root"
assert project.issues.get(issue.iid).upvotes == 1
assert [one.name for one in issue.awardemojis.list(get_all=True)] == ["thumbsup"]
assert issue.awardemojis.get(vote.id).awardable_id == issue.id
vote.delete()
assert issue.awardemojis.list(get_all=True) == []
issue.state_event = "close"
issue.save()
assert [one.state for one in issue.resourcestateevents.list(get_all=True)] == ["closed"]
event = issue.resourcelabelevents.list(get_all=True)[0]
assert (event.action, event.label["name"]) == ("add", "bug")
assert issue.resourcelabelevents.get(event.id).created_at == event.created_at
assert [one["username"] for one in issue.participants()] == ["root"]
assert issue.user_agent_detail()["user_agent"].startswith("python-gitlab/")
issue.weight = 3
issue.save()
weights = api.http_list(f"/projects/{project.id}/issues/{issue.iid}/resource_weight_events", get_all=True)
assert [(one["weight"], one["user"]["username"]) for one in weights] == [(3, "root")]
assert issue.related_merge_requests() == [] and issue.closed_by() == []
issue.unsubscribe()
issue.subscribe()
issue.todo()
try:
    issue.todo()
except gitlab.exceptions.GitlabTodoError as error:
    assert error.response_code == 304, error
todo = next(one for one in api.todos.list(project_id=project.id, iterator=True))
assert (todo.action_name, todo.target["iid"], todo.body) == ("marked", issue.iid, issue.title)
todo.mark_as_done()
assert api.todos.list(project_id=project.id, get_all=True) == []
issue.todo()
api.todos.mark_all_as_done()
assert len(api.todos.list(project_id=project.id, state="done", get_all=True)) == 2

project.name = "Renamed"
project.save()
project.archive()
assert api.projects.get(project.id).archived
project.unarchive()
project.delete()
try:
    api.projects.get(project.id)
    raise SystemExit("a deleted project is still there")
except gitlab.exceptions.GitlabGetError as error:
    assert error.response_code == 404, error
group.delete()
print("held")
