"""How users of python-gitlab merge; prints one word when all of it held."""

import sys
import time

import gitlab

url, token, project_id = sys.argv[1:4]
project = gitlab.Gitlab(url, private_token=token).projects.get(project_id)

mr = project.mergerequests.create(
    {"source_branch": "feature", "target_branch": "main", "title": "Say it aloud"}
)
assert mr.rebase()["rebase_in_progress"], mr
for _ in range(800):
    mr = project.mergerequests.get(mr.iid, include_rebase_in_progress=True)
    if not mr.rebase_in_progress and mr.detailed_merge_status == "mergeable":
        break
    time.sleep(0.05)
assert mr.detailed_merge_status == "mergeable" and mr.diff_refs["base_sha"] == mr.diff_refs["start_sha"], mr
assert len(mr.merge_ref()["commit_id"]) == 40
mr.merge(merge_commit_message="Ours", should_remove_source_branch=True)
assert mr.state == "merged", mr
assert project.commits.get("main").message == "Ours"
assert "feature" not in [one.name for one in project.branches.list(get_all=True)]

draft = project.mergerequests.create(
    {"source_branch": "clash", "target_branch": "main", "title": "Draft: Say it in German"}
)
draft.merge(merge_when_pipeline_succeeds=True)
assert draft.merge_when_pipeline_succeeds, draft
draft.cancel_merge_when_pipeline_succeeds()
assert not project.mergerequests.get(draft.iid).merge_when_pipeline_succeeds
for status, title in ((405, "Draft: Say it in German"), (422, "Say it in German")):
    draft.title = title
    draft.save()
    try:
        draft.merge()
        raise SystemExit("merged what cannot be merged")
    except gitlab.exceptions.GitlabError as error:
        assert error.response_code == status, error

print("held")
