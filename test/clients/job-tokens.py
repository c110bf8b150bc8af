"""What python-gitlab does in a job, by the job's token; prints one word when all of it held."""

import sys

import gitlab

url, token, job, project_id = sys.argv[1:5]
api = gitlab.Gitlab(url, job_token=token)
assert api.http_get("/job")["id"] == int(job)
project = api.projects.get(int(project_id), lazy=True)

assert [branch.name for branch in project.branches.list()] == ["main"]
assert project.files.raw(".gitlab-ci.yml", ref="main").startswith(b"build:")
assert project.commits.get("main").title == "Begin"

environment = project.environments.create({"name": "staging"})
environment.external_url = "https://staging.example.com"
environment.save()
assert [one.name for one in project.environments.list()] == ["staging"]
deployment = project.deployments.create(
    {"environment": "staging", "sha": project.commits.get("main").id, "ref": "main", "tag": False, "status": "running"}
)
deployment.status = "success"
deployment.save()
environment.stop()

started = project.trigger_pipeline("main", token)
assert started.source == "pipeline"
assert [one.id for one in project.pipelines.list(source="pipeline")] == [started.id]

try:
    api.auth()
    raise AssertionError("a job is no user")
except gitlab.GitlabAuthenticationError as error:
    assert error.response_code == 401
print("held")
