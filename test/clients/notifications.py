"""What users of python-gitlab do with notification settings and to-dos; prints one word when all of it held."""

import sys

import gitlab

url, token, suffix = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
group = api.groups.create({"name": f"Told {suffix}", "path": f"told-{suffix}"})
project = api.projects.create({"name": "App", "namespace_id": group.id})

everywhere = api.notificationsettings.get()
assert "@" in everywhere.notification_email, everywhere
before = everywhere.level
everywhere.level = "watch"
everywhere.save()
assert api.notificationsettings.get().level == "watch"
everywhere.level = before
everywhere.save()

for place in (project, group):
    settings = place.notificationsettings.get()
    assert settings.level == gitlab.const.NOTIFICATION_LEVEL_GLOBAL, settings
    settings.level = gitlab.const.NOTIFICATION_LEVEL_CUSTOM
    settings.reopen_merge_request = True
    settings.save()
    chosen = place.notificationsettings.get()
    assert chosen.level == "custom" and chosen.events["reopen_merge_request"] is True, chosen
    assert chosen.events["new_note"] is None, chosen

issue = project.issues.create({"title": "To do"})
todo = issue.todo()
mine = api.todos.list(project_id=project.id, get_all=True)
assert [one.action_name for one in mine] == ["marked"], mine
mine[0].mark_as_done()
assert api.todos.list(project_id=project.id, get_all=True) == []
print("held")
