package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import forgelet.testing.Forgelet;
import forgelet.testing.ForgeletExtension;
import java.time.Duration;
import java.util.List;
import org.gitlab4j.models.Constants.IssueState;
import org.gitlab4j.api.GitLabApi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(ForgeletExtension.class)
class StaleIssuesTest {
  @Test
  void issuesThatNobodyTouchesAreClosed(Forgelet forgelet) throws Exception {
    try (GitLabApi api = new GitLabApi(forgelet.url(), forgelet.token())) {
      Long project = api.getProjectApi().createProject("shop").getId();
      Long old = api.getIssuesApi().createIssue(project, "The door squeaks", null).getIid();
      var now = forgelet.advance(Duration.ofDays(31));
      Long fresh = api.getIssuesApi().createIssue(project, "The bell is too loud", null).getIid();

      assertEquals(List.of(old), StaleIssues.close(api, project, now, Duration.ofDays(30)));
      assertEquals(IssueState.CLOSED, api.getIssuesApi().getIssue(project, old).getState());
      assertEquals(IssueState.OPENED, api.getIssuesApi().getIssue(project, fresh).getState());
    }
  }
}
