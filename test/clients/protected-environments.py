"""What users of python-gitlab do with protected environments; prints one word when all of it held."""

import sys

import gitlab

url, project_id, developer, maintainer = sys.argv[1:]
deploys = gitlab.Gitlab(url, private_token=developer).projects.get(project_id)
keeps = gitlab.Gitlab(url, private_token=maintainer).projects.get(project_id)

protected = keeps.protected_environments.create(
    {
        "name": "production",
        "deploy_access_levels": [{"access_level": 30}],
        "approval_rules": [{"access_level": 40, "required_approvals": 1}],
    }
)
assert protected.name == "production"
assert [one.name for one in keeps.protected_environments.list()] == ["production"]
shown = keeps.protected_environments.get("production")
assert shown.deploy_access_levels == protected.deploy_access_levels
assert shown.approval_rules[0]["required_approvals"] == 1

deployment = deploys.deployments.create(
    {"environment": "production", "sha": "main", "ref": "main", "tag": False, "status": "running"}
)
assert deployment.status == "blocked"
assert deployment.pending_approval_count == 1
approval = keeps.deployments.get(deployment.id).approval("approved", comment="Go")
assert approval["status"] == "approved" and approval["comment"] == "Go"
deployment = deploys.deployments.get(deployment.id)
assert deployment.status == "created"
deployment.status = "success"
deployment.save()
assert deploys.deployments.get(deployment.id).approvals[0]["comment"] == "Go"

protected.delete()
assert keeps.protected_environments.list() == []

print("held")
