"""What users of python-gitlab do with pipelines, jobs, schedules and triggers; prints one word when all of it held."""

import sys

import gitlab

url, token, suffix = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
project = api.projects.create({"name": f"Piped {suffix}", "initialize_with_readme": True})
CONFIG = """
stages: [build, deploy]
build: { stage: build, script: make }
deploy: { stage: deploy, script: deploy, when: manual }
"""
project.files.create(
    {"file_path": ".gitlab-ci.yml", "branch": "main", "content": CONFIG, "commit_message": "Run [ci skip]"}
)

lint = project.ci_lint.create({"content": CONFIG})
assert lint.valid, lint.errors
assert project.ci_lint.get(include_jobs=True).jobs[0]["name"] == "build"

pipeline = project.pipelines.create({"ref": "main", "variables": [{"key": "WHO", "value": "me"}]})
assert pipeline.status == "pending"
assert project.pipelines.get(pipeline.id).ref == "main"
assert api.http_get(f"/projects/{project.id}/pipelines/latest", {"ref": "main"})["id"] == pipeline.id
assert [one.id for one in project.pipelines.list(ref="main", source="api")] == [pipeline.id]
assert [one.key for one in pipeline.variables.list()] == ["WHO"]
assert pipeline.test_report.get().total_count == 0
assert pipeline.test_report_summary.get().total["count"] == 0
assert list(pipeline.bridges.list()) == []

jobs = {job.name: job for job in pipeline.jobs.list()}
assert set(jobs) == {"build", "deploy"}
build = project.jobs.get(jobs["build"].id)
assert build.pipeline["id"] == pipeline.id
assert build.trace() == b""
build.cancel()
build.retry()
assert len(pipeline.jobs.list(include_retried=True)) == 3
keyset = api.http_list(f"/projects/{project.id}/jobs", pagination="keyset", order_by="id", sort="desc", per_page=2, iterator=True)
assert len(list(keyset)) == 3
pipeline.cancel()
pipeline.retry()

schedule = project.pipelineschedules.create({"description": "Nightly", "ref": "main", "cron": "0 1 * * *"})
schedule.variables.create({"key": "WHO", "value": "schedule"})
schedule.active = False
schedule.save()
schedule = project.pipelineschedules.get(schedule.id)
assert [one["key"] for one in schedule.attributes["variables"]] == ["WHO"]
schedule.play()
schedule = project.pipelineschedules.get(project.pipelineschedules.list()[0].id)
schedule.take_ownership()
assert len(project.pipelineschedules.list(scope="inactive")) == 1
schedule.delete()

trigger = project.triggers.create({"description": "Bot"})
started = project.trigger_pipeline("main", trigger.token, variables={"WHO": "bot"})
assert started.source == "trigger"
trigger.delete()

secure = project.secure_files.create({"name": "key", "file": b"secret"})
assert secure.download() == b"secret"
secure.delete()
started.delete()
print("held")
