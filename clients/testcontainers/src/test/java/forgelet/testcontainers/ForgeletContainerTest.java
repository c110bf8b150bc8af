package forgelet.testcontainers;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.testcontainers.DockerClientFactory;

class ForgeletContainerTest {
  private static final String IMAGE = System.getenv().getOrDefault("TEST_FORGELET_IMAGE", "");

  @Test
  void theCommandIsThatOfTheOptions() {
    try (var container = new ForgeletContainer("localhost/forgelet").withSeed(7).withPlan("ultimate")) {
      container.configure();
      assertArrayEquals(
          new String[] {"serve", "--ephemeral", "--seed", "7", "--plan", "ultimate"}, container.getCommandParts());
      assertEquals(container.getToken(), container.getEnvMap().get("FORGELET_ROOT_TOKEN"));
    }
  }

  @Test
  void itServesIsResetAndHasAClock() throws Exception {
    assumeTrue(!IMAGE.isEmpty(), "TEST_FORGELET_IMAGE names no image");
    assumeTrue(DockerClientFactory.instance().isDockerAvailable(), "there is no container engine");
    try (var container = new ForgeletContainer(IMAGE).withSeed(7)) {
      container.start();
      container.setClock(Instant.parse("2040-05-06T00:00:00Z"));
      container.advance(Duration.ofDays(1));
      String first = create(container);
      assertTrue(first.contains("\"id\":1,"), first);
      assertTrue(first.contains("\"created_at\":\"2040-05-07T00:00:00.000Z\""), first);
      container.reset();
      assertTrue(create(container).contains("\"created_at\":\"2030-01-01T00:00:00.000Z\""));
    }
  }

  private static String create(ForgeletContainer container) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(container.getUrl() + "/api/v4/projects?name=shop"))
            .header("PRIVATE-TOKEN", container.getToken())
            .POST(HttpRequest.BodyPublishers.noBody())
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
  }
}
