"""What users of python-gitlab do with e-mail addresses; prints one word when all of it held."""

import sys

import gitlab

url, token, suffix = sys.argv[1:4]
admin = gitlab.Gitlab(url, private_token=token)
account = {"username": f"mail-{suffix}", "name": "Mail", "email": f"mail-{suffix}@example.com"}
user = admin.users.create({**account, "force_random_password": True})
scopes = {"name": "mail", "scopes": ["api"]}
own = gitlab.Gitlab(url, private_token=user.personal_access_tokens.create(scopes).token)
own.auth()

further = own.user.emails.create({"email": f"further-{suffix}@example.com"})
assert further.confirmed_at is None, further
assert [one.id for one in own.user.emails.list(get_all=True)] == [further.id]
assert own.user.emails.get(further.id).email == further.email

other = user.emails.create({"email": f"other-{suffix}@example.com", "skip_confirmation": True})
assert other.confirmed_at is not None, other
assert {one.id for one in user.emails.list(get_all=True)} == {further.id, other.id}
user.emails.delete(other.id)
further.delete()
assert own.user.emails.list(get_all=True) == []

try:
    own.user.emails.create({"email": "nowhere"})
    raise SystemExit("an impossible address was accepted")
except gitlab.exceptions.GitlabCreateError as refused:
    assert refused.response_code == 400, refused

print("held")
