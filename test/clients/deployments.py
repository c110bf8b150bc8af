"""What users of python-gitlab do with environments and deployments; prints one word when all of it held."""

import sys

import gitlab

url, token, suffix = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
project = api.projects.create({"name": f"Deployed {suffix}", "initialize_with_readme": True})
sha = project.commits.get("main").id

environment = project.environments.create({"name": "production", "external_url": "https://www.example.com"})
assert (environment.slug, environment.tier, environment.state) == ("production", "production", "available")
environment.external_url = "https://example.com"
environment.save()
assert project.environments.get(environment.id).external_url == "https://example.com"
assert [one.name for one in project.environments.list(get_all=True, name="production")] == ["production"]

wanted = {"environment": "production", "sha": sha, "ref": "main", "tag": False, "status": "running"}
first = project.deployments.create(wanted)
assert (first.iid, first.sha, first.deployable) == (1, sha, None), first
first.status = "success"
first.save()
assert project.deployments.get(first.id).status == "success"
assert project.environments.get(environment.id).last_deployment["id"] == first.id
assert [one.id for one in project.deployments.list(get_all=True, environment="production")] == [first.id]
assert project.deployments.list(get_all=True, status="failed") == []
assert first.mergerequests.list(get_all=True) == []
try:
    project.deployments.create({**wanted, "sha": "0" * 40})
    raise SystemExit("the server took a commit that does not exist")
except gitlab.exceptions.GitlabCreateError as error:
    assert error.response_code == 400 and "sha" in str(error), error

try:
    environment.delete()
    raise SystemExit("the server deleted an environment that is not stopped")
except gitlab.exceptions.GitlabDeleteError as error:
    assert error.response_code == 403, error
environment.stop()
assert project.environments.get(environment.id).state == "stopped"
environment.delete()
assert project.environments.list(get_all=True) == []
print("held")
