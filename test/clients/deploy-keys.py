"""What users of python-gitlab do with SSH keys, deploy keys and deploy tokens; prints one word when all of it held."""

import datetime
import sys

import gitlab

url, token, suffix, own_key, user_key, project_key, public_key = sys.argv[1:8]
api = gitlab.Gitlab(url, private_token=token)
api.auth()
group = api.groups.create({"name": f"Deploy {suffix}", "path": f"deploy-{suffix}"})
project = api.projects.create({"name": "App", "namespace_id": group.id})
other = api.projects.create({"name": "Other", "namespace_id": group.id})
today = datetime.date.today().isoformat()

for place in (project, group):
    made = place.deploytokens.create(
        {"name": "puller", "scopes": ["read_repository", "read_virtual_registry"], "username": "", "expires_at": today}
    )
    assert made.token.startswith("gldt-") and made.username == f"gitlab+deploy-token-{made.id}", made
    assert made.expires_at == f"{today}T00:00:00.000Z" and made.scopes == ["read_repository", "read_virtual_registry"], made
    found = place.deploytokens.get(made.id)
    assert found.name == "puller" and not hasattr(found, "token"), found
    assert [one.id for one in place.deploytokens.list(get_all=True)] == [made.id]
    assert made.id in [one.id for one in api.deploytokens.list(get_all=True)]
    try:
        gitlab.Gitlab(url, private_token=made.token).auth()
        raise SystemExit("the API accepted a deploy token")
    except gitlab.exceptions.GitlabAuthenticationError as error:
        assert error.response_code == 401, error
    made.delete()
    assert place.deploytokens.list(get_all=True) == []

key = project.keys.create({"title": "deploy", "key": project_key, "can_push": True})
assert key.can_push and key.key == project_key, key
assert [one.id for one in project.keys.list(get_all=True)] == [key.id]
other.keys.enable(key.id)
there = other.keys.get(key.id)
assert not there.can_push
there.can_push = True
there.save()
assert other.keys.get(key.id).can_push
listed = next(one for one in api.deploykeys.list(get_all=True) if one.id == key.id)
assert [one["id"] for one in listed.projects_with_write_access] == [project.id, other.id], listed
other.keys.delete(key.id)
assert other.keys.list(get_all=True) == []
public = api.http_post("/deploy_keys", post_data={"title": "ci", "key": public_key})
assert public["id"] in [one.id for one in api.deploykeys.list(public=True, get_all=True)]
assert api.keys.get(fingerprint=key.fingerprint_sha256).deploy_keys_projects[0]["project_id"] == project.id

mine = api.user.keys.create({"title": "laptop", "key": own_key})
assert mine.key.startswith(own_key), mine
assert mine.id in [one.id for one in api.user.keys.list(get_all=True)]
assert api.keys.get(mine.id).user["id"] == api.user.id
try:
    api.user.keys.create({"title": "again", "key": own_key})
    raise SystemExit("a key was added twice")
except gitlab.exceptions.GitlabCreateError as error:
    assert error.response_code == 400 and "has already been taken" in str(error), error
api.user.keys.delete(mine.id)
user = api.users.create(
    {"username": f"keys-{suffix}", "name": "Ada", "email": f"keys-{suffix}@example.com", "force_random_password": True}
)
hers = user.keys.create({"title": "desk", "key": user_key})
assert [one.id for one in user.keys.list(get_all=True)] == [hers.id]
assert user.keys.get(hers.id).title == "desk"
hers.delete()
project.keys.delete(key.id)
print("held")
