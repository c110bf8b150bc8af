"""What users of python-gitlab do with access tokens of projects and groups; prints one word when all of it held."""

import datetime
import sys

import gitlab

url, token, suffix = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
group = api.groups.create({"name": f"Tokens {suffix}", "path": f"tokens-{suffix}"})
project = api.projects.create({"name": "App", "namespace_id": group.id})
soon = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=30)).date().isoformat()

for place, prefix in [(project, f"project_{project.id}_bot_"), (group, f"group_{group.id}_bot_")]:
    made = place.access_tokens.create(
        {"name": "ci", "scopes": ["api", "read_repository"], "access_level": 30, "expires_at": soon}
    )
    assert (made.access_level, made.expires_at, made.active, made.revoked) == (30, soon, True, False), made
    bot = gitlab.Gitlab(url, private_token=made.token)
    bot.auth()
    assert bot.user.id == made.user_id and bot.user.bot and bot.user.username.startswith(prefix), bot.user
    assert bot.projects.get(project.id).id == project.id
    assert place.members.get(made.user_id).access_level == 30
    assert [one.id for one in place.access_tokens.list(state="active", iterator=True)] == [made.id]

    kind = "projects" if place is project else "groups"
    rotated = api.http_post(f"/{kind}/{place.id}/access_tokens/{made.id}/rotate", post_data={"expires_at": soon})
    assert rotated["user_id"] == made.user_id and rotated["token"] != made.token
    try:
        bot.auth()
        raise SystemExit("a rotated token still works")
    except gitlab.exceptions.GitlabAuthenticationError as error:
        assert error.response_code == 401, error
    again = gitlab.Gitlab(url, private_token=rotated["token"])
    again = gitlab.Gitlab(url, private_token=again.http_post(f"/{kind}/{place.id}/access_tokens/self/rotate")["token"])
    again.auth()
    assert again.user.id == made.user_id

    active = place.access_tokens.list(state="active", get_all=True)
    assert len(active) == 1
    place.access_tokens.delete(active[0].id)
    assert place.access_tokens.list(state="active", get_all=True) == []
    assert len(place.access_tokens.list(revoked=True, get_all=True)) == 3
    try:
        place.access_tokens.create({"name": "ci", "scopes": ["sudo"]})
        raise SystemExit("a token of a project was made to act as anybody")
    except gitlab.exceptions.GitlabCreateError as error:
        assert error.response_code == 400, error
print("held")
