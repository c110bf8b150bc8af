"""Closes the issues of a project that nobody has touched for a while. The example that the tests beside it test."""

from datetime import timedelta


def close_stale_issues(gl, project_id, now, after=timedelta(days=30)):
    """Closes issues, and says why. Returns their numbers."""
    project = gl.projects.get(project_id)
    untouched = project.issues.list(
        state="opened", updated_before=(now - after).isoformat(), order_by="created_at", sort="asc", all=True
    )
    for issue in untouched:
        issue.notes.create({"body": f"Closed: nobody has touched this for {after.days} days."})
        issue.state_event = "close"
        issue.save()
    return [issue.iid for issue in untouched]
