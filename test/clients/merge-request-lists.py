"""What users of python-gitlab do with lists of merge requests and the people on them; prints one word when all of it held."""

import sys

import gitlab

url, token, project_id, username = sys.argv[1:5]
api = gitlab.Gitlab(url, private_token=token)
project = api.projects.get(int(project_id))
group = api.groups.get(project.namespace["id"])

issue = project.issues.create({"title": "It is low"})
one = project.mergerequests.create(
    {"source_branch": "feature", "target_branch": "main", "title": "Louder", "description": f"Closes #{issue.iid}", "labels": ["loud"]}
)
for listed in (
    project.mergerequests.list(state="opened", get_all=True),
    project.mergerequests.list(labels=["loud"], order_by="updated_at", sort="asc", get_all=True),
    project.mergerequests.list(iids=[one.iid], get_all=True),
    group.mergerequests.list(author_username=username, get_all=True),
    api.mergerequests.list(scope="all", search="Louder", author_username=username, get_all=True),
    api.mergerequests.list(get_all=True),
):
    assert [(each.iid, each.project_id) for each in listed] == [(one.iid, project.id)], listed
assert project.mergerequests.list(wip="yes", get_all=True) == []
assert [each["username"] for each in one.participants()] == [username]
assert [each.iid for each in one.closes_issues()] == [issue.iid]
assert [each["iid"] for each in issue.closed_by()] == [one.iid]
assert [each["iid"] for each in issue.related_merge_requests()] == [one.iid]
assert one.time_estimate("2h")["human_time_estimate"] == "2h"
assert one.add_spent_time("30m")["total_time_spent"] == 1800
assert project.mergerequests.get(one.iid).time_stats()["time_estimate"] == 7200
assert one.reset_time_estimate()["time_estimate"] == 0
assert one.reset_spent_time()["total_time_spent"] == 0
one.unsubscribe()
assert one.subscribed is False
one.subscribe()
assert one.subscribed is True
print("held")
