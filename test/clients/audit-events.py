"""How users of python-gitlab read audit events; prints one word when all of it held."""

import sys

import gitlab

url, token, suffix = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
group = api.groups.create({"name": f"Audit {suffix}", "path": f"audit-{suffix}"})
project = api.projects.create({"name": f"Audit {suffix}", "namespace_id": group.id})
group.visibility = "public"
group.save()
project.visibility = "public"
project.save()

event = project.audit_events.list(per_page=1, get_all=False)[0]
assert event.event_name == "project_visibility_level_updated", event
assert event.details["from"] == "private" and event.details["to"] == "public", event
assert project.audit_events.get(event.id).details == event.details
of_group = group.audit_events.list(get_all=True, created_after="2020-01-01")
names = [one.event_name for one in of_group]
assert names[0] == "group_visibility_level_updated" and "group_created" in names, names
assert group.audit_events.get(of_group[0].id).entity_id == group.id

about = api.audit_events.list(entity_type="Project", entity_id=project.id, get_all=True)
assert [one.id for one in about] == [one.id for one in project.audit_events.list(get_all=True)]
assert api.audit_events.get(event.id).entity_path == project.path_with_namespace
by_keys = api.audit_events.list(iterator=True, pagination="keyset", order_by="id", sort="desc", per_page=5)
ids = [next(by_keys).id for _ in range(12)]
assert ids == sorted(ids, reverse=True) and len(set(ids)) == 12, ids
try:
    api.audit_events.list(entity_id=1, get_all=False)
    raise SystemExit("an id without a type was accepted")
except gitlab.exceptions.GitlabListError as error:
    assert error.response_code == 400, error
project.delete()
group.delete()
print("held")
