"""What users of python-gitlab do with boards; prints one word when all of it held."""

import sys

import gitlab

url, token, suffix = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
group = api.groups.create({"name": f"Boards {suffix}", "path": f"boards-{suffix}"})
project = api.projects.create({"name": "App", "namespace_id": group.id})

for place in (group, project):
    label = place.labels.create({"name": f"doing-{place.id}-{len(place.path)}", "color": "#00ff00"})
    milestone = place.milestones.create({"title": f"soon {place.get_id()} {place.path}"})
    board = place.boards.create({"name": "Work"})
    assert (board.name, board.lists.list(get_all=True), board.weight) == ("Work", [], None), board
    first = board.lists.create({"label_id": label.id})
    assert (first.label["name"], first.position) == (label.name, 0), first
    second = board.lists.create({"milestone_id": milestone.id})
    third = board.lists.create({"assignee_id": api.users.list(username="root", get_all=True)[0].id})
    assert (second.milestone["title"], third.assignee["username"]) == (milestone.title, "root"), (second, third)
    third.position = 0
    third.save()
    order = [one.id for one in board.lists.list(get_all=True)]
    assert order == [third.id, first.id, second.id], order
    assert board.lists.get(first.id).position == 1
    first.delete()
    assert [one.position for one in board.lists.list(get_all=True)] == [0, 1]
    board.name = "All work"
    board.save()
    place.boards.update(board.id, {"milestone_id": milestone.id, "labels": label.name, "weight": 2})
    found = place.boards.get(board.id)
    assert (found.name, found.milestone["id"], found.labels[0]["name"], found.weight) == (
        "All work",
        milestone.id,
        label.name,
        2,
    ), found
    assert [one.id for one in place.boards.list(get_all=True)] == [board.id]
    try:
        board.lists.create({"label_id": 999999999})
        raise SystemExit("the server made a list of a label that is not there")
    except gitlab.exceptions.GitlabCreateError as error:
        assert error.response_code == 400 and "Label not found!" in str(error), error
    board.delete()
    assert place.boards.list(get_all=True) == []
print("held")
