"""How users of python-gitlab review a merge request; prints one word when all of it held."""

import sys

import gitlab

url, token, project_id = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
api.auth()
project = api.projects.get(project_id)
merge_request = project.mergerequests.get(1)

assert [one.title for one in merge_request.commits()] == ["Add c", "Say it aloud"]
changes = merge_request.changes()
assert [one["new_path"] for one in changes["changes"]] == ["a.txt", "b.txt", "c.txt"], changes
version = merge_request.diffs.list()[0]
assert len(merge_request.diffs.get(version.id).diffs) == 3

position = {**merge_request.diff_refs, "position_type": "text", "new_path": "a.txt", "new_line": 2}
thread = merge_request.discussions.create({"body": "Why?", "position": position})
note = thread.attributes["notes"][0]
assert (note["type"], note["resolved"], note["position"]["new_line"]) == ("DiffNote", False, 2), note
thread.notes.create({"body": "Because."})
thread.resolved = True
thread.save()
notes = merge_request.discussions.get(thread.id).attributes["notes"]
assert [one["resolved"] for one in notes] == [True, True], notes

project.approvals.get()
rule = project.approvalrules.create({"name": "Security", "approvals_required": 1, "user_ids": [api.user.id]})
assert [one.name for one in project.approvalrules.list(get_all=True)] == ["Security"]
merge_request.approve(sha=merge_request.sha)
state = merge_request.approval_state.get()
assert state.rules[0]["approved"], state
assert merge_request.approvals.get().approved
try:
    merge_request.approve()
    raise SystemExit("a second approval counts")
except gitlab.exceptions.GitlabMRApprovalError as error:
    assert error.response_code == 401, error
except gitlab.exceptions.GitlabAuthenticationError:
    pass
merge_request.unapprove()
assert merge_request.approvals.get().approvals_left == 1
rule.delete()
print("held")
