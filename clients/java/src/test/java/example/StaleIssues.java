package example;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.gitlab4j.models.Constants.IssueState;
import org.gitlab4j.api.GitLabApi;
import org.gitlab4j.api.GitLabApiException;
import org.gitlab4j.api.models.Issue;
import org.gitlab4j.api.models.IssueFilter;

/** Closes the issues of a project that nobody has touched for a while. The example that a test beside it tests. */
final class StaleIssues {
  private StaleIssues() {}

  /** Closes issues, and says why. Returns their numbers. */
  static List<Long> close(GitLabApi api, Long project, Instant now, Duration after) throws GitLabApiException {
    IssueFilter untouched =
        new IssueFilter().withState(IssueState.OPENED).withUpdatedBefore(Date.from(now.minus(after)));
    List<Long> closed = new ArrayList<>();
    for (Issue issue : api.getIssuesApi().getIssues(project, untouched)) {
      String why = "Closed: nobody has touched this for " + after.toDays() + " days.";
      api.getNotesApi().createIssueNote(project, issue.getIid(), why);
      api.getIssuesApi().closeIssue(project, issue.getIid());
      closed.add(issue.getIid());
    }
    return closed;
  }
}
