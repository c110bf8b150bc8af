"""How users of python-gitlab plan with epics; prints one word when all of it held."""

import sys

import gitlab

url, token, suffix = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
group = api.groups.create({"name": f"Epics {suffix}", "path": f"epics-{suffix}"})
project = api.projects.create({"name": "Work", "namespace_id": group.id})

epic = group.epics.create({"title": "One year", "labels": "big"})
assert epic.iid == 1 and epic.labels == ["big"], epic
epic.title = "Two years"
epic.labels = ["big", "slow"]
epic.save()
assert group.epics.get(1).title == "Two years"
for number in range(12):
    group.epics.create({"title": f"Epic {number}"})
assert len(group.epics.list(get_all=True, per_page=5)) == 13
assert [one.iid for one in group.epics.list(labels="slow")] == [1]

issue = project.issues.create({"title": "A month"})
link = epic.issues.create({"issue_id": issue.id})
found = epic.issues.list()
assert [one.id for one in found] == [issue.id], found
assert project.issues.get(issue.iid).epic["iid"] == 1
found[0].delete()
assert epic.issues.list() == []

note = epic.notes.create({"body": "Me too"})
assert note.noteable_type == "Epic" and note.project_id is None, note
note.body = "Me *too*"
note.save()
assert epic.notes.get(note.id).body == "Me *too*"
assert len(epic.resourcelabelevents.list()) == 2
epic.delete()
assert len(group.epics.list(get_all=True)) == 12
print("held")
