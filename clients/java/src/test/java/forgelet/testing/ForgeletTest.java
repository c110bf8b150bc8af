package forgelet.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ForgeletTest {
  @RegisterExtension
  static final ForgeletExtension extension = new ForgeletExtension("--seed", "7", "--plan", "ultimate");

  @RepeatedTest(2)
  void eachTestFindsAFreshServer(Forgelet forgelet) throws Exception {
    assertTrue(create(forgelet, "shop").contains("\"id\":1,"));
  }

  @Test
  void answersFollowFromTheSeed(Forgelet forgelet) throws Exception {
    String first = create(forgelet, "shop");
    forgelet.reset();
    assertEquals(first, create(forgelet, "shop"));
    forgelet.seed(8);
  }

  @Test
  void theClockIsThatOfTheTest(Forgelet forgelet) throws Exception {
    Instant beginning = Instant.parse("2030-01-01T00:00:00Z");
    assertEquals(beginning, forgelet.now());
    assertEquals(beginning.plus(Duration.ofDays(1)), forgelet.advance(Duration.ofDays(1)));
    forgelet.setClock(Instant.parse("2040-05-06T00:00:00Z"));
    assertTrue(create(forgelet, "shop").contains("\"created_at\":\"2040-05-06T00:00:00.000Z\""));
  }

  @Test
  void aJobEndsAsTheTestSays(Forgelet forgelet) throws Exception {
    create(forgelet, "shop");
    String file = "branch=main&commit_message=Build&content=build:%20%7B%20script:%20make%20%7D";
    ask(forgelet, "POST", "/1/repository/files/.gitlab-ci.yml?" + file);
    ask(forgelet, "POST", "/1/pipeline?ref=main");
    long job = Long.parseLong(ask(forgelet, "GET", "/1/jobs").replaceAll("(?s)^\\[\\{\"id\":(\\d+).*", "$1"));
    forgelet.runJob(job, Map.of("status", "success", "log", "made & done\n", "artifacts[shop.txt]", "shop"));
    assertTrue(ask(forgelet, "GET", "/1/jobs/" + job).contains("\"status\":\"success\""));
    assertEquals("made & done\n", ask(forgelet, "GET", "/1/jobs/" + job + "/trace"));
    assertEquals("shop", ask(forgelet, "GET", "/1/jobs/" + job + "/artifacts/shop.txt"));
  }

  @Test
  void nothingIsLeftAtTheEnd() {
    long pid;
    try (Forgelet other = Forgelet.start()) {
      pid = other.pid();
      assertTrue(ProcessHandle.of(pid).isPresent());
    }
    assertFalse(ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false));
  }

  @Test
  void aServerThatDoesNotStartSaysWhy() {
    var failure = assertThrows(IllegalStateException.class, () -> Forgelet.start("--plan", "gold"));
    assertTrue(failure.getMessage().contains("there is no plan \"gold\""), failure::getMessage);
  }

  private static String create(Forgelet forgelet, String name) throws Exception {
    return ask(forgelet, "POST", "?name=" + name);
  }

  private static String ask(Forgelet forgelet, String method, String path) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(forgelet.url() + "/api/v4/projects" + path))
            .header("PRIVATE-TOKEN", forgelet.token())
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
  }
}
