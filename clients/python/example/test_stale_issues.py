import gitlab
import pytest
from stale_issues import close_stale_issues


@pytest.fixture
def gl(forgelet):
    return gitlab.Gitlab(forgelet.url, private_token=forgelet.token)


def test_issues_that_nobody_touches_are_closed(forgelet, gl):
    project = gl.projects.create({"name": "shop"})
    old = project.issues.create({"title": "The door squeaks"})
    forgelet.advance(days=31)
    new = project.issues.create({"title": "The bell is too loud"})

    assert close_stale_issues(gl, project.id, forgelet.now()) == [old.iid]
    assert project.issues.get(old.iid).state == "closed"
    assert project.issues.get(new.iid).state == "opened"
    assert [note.body for note in project.issues.get(old.iid).notes.list() if not note.system] == [
        "Closed: nobody has touched this for 30 days."
    ]


def test_a_comment_keeps_an_issue_open(forgelet, gl):
    project = gl.projects.create({"name": "shop"})
    issue = project.issues.create({"title": "The door squeaks"})
    forgelet.advance(days=20)
    issue.notes.create({"body": "It still does."})
    forgelet.advance(days=20)

    assert close_stale_issues(gl, project.id, forgelet.now()) == []


def test_others_may_not_close_issues(forgelet, gl):
    project = gl.projects.create({"name": "shop", "visibility": "public"})
    project.issues.create({"title": "The door squeaks"})
    forgelet.advance(days=31)
    with pytest.raises(gitlab.GitlabError) as refused:
        close_stale_issues(gitlab.Gitlab(forgelet.url), project.id, forgelet.now())
    assert refused.value.response_code == 401
