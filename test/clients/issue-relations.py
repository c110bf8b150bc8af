"""What users of python-gitlab do with issues beside editing them; prints one word when all of it held."""

import sys

import gitlab

url, token, suffix = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
here = api.projects.create({"name": f"Here {suffix}"})
there = api.projects.create({"name": f"There {suffix}"})
one, two, three = (here.issues.create({"title": title}) for title in ("one", "two", "three"))
far = there.issues.create({"title": "far"})

source, target = one.links.create({"target_project_id": here.id, "target_issue_iid": two.iid, "link_type": "blocks"})
assert (source.iid, target.iid) == (one.iid, two.iid)
one.links.create({"target_project_id": there.path_with_namespace, "target_issue_iid": far.iid})
links = one.links.list(get_all=True)
assert [(link.id, link.link_type) for link in links] == [(two.id, "blocks"), (far.id, "relates_to")]
assert links[1].references["relative"] == f"{there.path}#1"
assert [link.link_type for link in two.links.list()] == ["is_blocked_by"]
links[0].delete()
assert len(one.links.list()) == 1
try:
    far.links.create({"target_project_id": here.id, "target_issue_iid": one.iid})
    raise SystemExit("a second link was accepted")
except gitlab.exceptions.GitlabCreateError as error:
    assert error.response_code == 409, error

assert one.time_estimate("1w 2d")["human_time_estimate"] == "1w 2d"
assert one.add_spent_time("90m")["total_time_spent"] == 5400
assert one.add_spent_time("-30m")["human_total_time_spent"] == "1h"
try:
    one.add_spent_time("for ever")
    raise SystemExit("an unreadable duration was accepted")
except gitlab.exceptions.GitlabTimeTrackingError as error:
    assert error.response_code == 400, error
assert here.issues.get(one.iid).time_stats()["time_estimate"] == 201600
assert one.reset_time_estimate()["time_estimate"] == 0
assert one.reset_spent_time()["human_total_time_spent"] is None

three.reorder(move_after_id=two.id, move_before_id=one.id)
assert three.iid == 3

one.move(there.id)
assert (one.project_id, one.title, one.state) == (there.id, "one", "opened")
left = here.issues.get(1)
assert (left.state, left.moved_to_id) == ("closed", one.id)
assert [link.id for link in there.issues.get(one.iid).links.list()] == [far.id]
here.delete()
there.delete()
print("held")
