"""How administrators set feature switches with python-gitlab; prints one word when all of it held."""

import sys

import gitlab

url, token, suffix = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
name = f"py_{suffix}"


def listed():
    return {one.name: one for one in api.features.list()}


assert name not in listed()
set_now = api.features.set(name, True, user="root", force=True)
assert set_now.state == "conditional", set_now
assert {"key": "actors", "value": ["User:1"]} in set_now.gates, set_now
group = api.groups.create({"name": f"Py {suffix}", "path": f"py-features-{suffix}"})
api.features.set(name, True, group=group.full_path, force=True)
api.features.set(name, 30, force=True)
found = listed()[name]
assert [gate["key"] for gate in found.gates] == ["boolean", "actors", "percentage_of_time"], found
assert found.gates[1]["value"] == ["User:1", f"Group:{group.id}"], found
assert api.features.set(name, True, force=True).state == "on"

for wrong in ({"value": True}, {"value": True, "user": "nobody-at-all", "force": True}, {"value": 101, "force": True}):
    try:
        api.features.set(name, **wrong)
        raise SystemExit(f"{wrong} was accepted")
    except gitlab.exceptions.GitlabSetError as error:
        assert error.response_code == 400, error

listed()[name].delete()
api.features.delete(name)
assert name not in listed()
known = api.http_list("/features/definitions")
assert {one["name"] for one in known} >= {"container_virtual_registries", "generic_alert_fingerprinting"}
group.delete()
print("held")
