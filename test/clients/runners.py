"""What users of python-gitlab do with runners; prints one word when all of it held."""

import sys

import gitlab

url, token, suffix = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
group = api.groups.create({"name": f"Run {suffix}", "path": f"run-{suffix}"})
project = api.projects.create({"name": f"Run {suffix}", "namespace_id": group.id})
other = api.projects.create({"name": f"Ran {suffix}", "namespace_id": group.id})

made = api.http_post(
    "/user/runners",
    post_data={"runner_type": "project_type", "project_id": project.id, "tag_list": "linux,docker"},
)
api.runners.verify(made["token"])
try:
    api.runners.verify("glrt-wrong")
    raise AssertionError("a wrong token was verified")
except gitlab.exceptions.GitlabVerifyError as refused:
    assert refused.response_code == 403

runner = api.runners.get(made["id"])
assert (runner.status, runner.online, runner.tag_list) == ("online", True, ["linux", "docker"])
runner.description = "Builder"
runner.tag_list = ["linux"]
runner.save()
assert api.runners.get(runner.id).description == "Builder"
api.runners.update(runner.id, {"active": False})
assert [one.id for one in api.runners.list(paused=True, tag_list=["linux"], get_all=True)] == [runner.id]
assert runner.id in [one.id for one in api.runners.all(get_all=True)]
assert runner.id in [one.id for one in api.runners_all.list(scope="specific", get_all=True)]
assert runner.jobs.list(status="running") == []

enabled = other.runners.create({"runner_id": runner.id})
assert enabled.id == runner.id
assert [one.id for one in other.runners.list(type="project_type")] == [runner.id]
other.runners.delete(runner.id)
runner.delete()

registration = api.http_post(f"/groups/{group.id}/runners/reset_registration_token")
registered = api.runners.create({"token": registration["token"], "description": "By itself"})
assert registered.token.startswith("glrtr-")
assert [one.description for one in group.runners.list(type="group_type")] == ["By itself"]
assert registered.id in [one.id for one in project.runners.list(get_all=True)]
api.http_delete("/runners", query_data={"token": registered.token})
assert group.runners.list(type="group_type") == []

print("held")
