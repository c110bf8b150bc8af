package forgelet.testcontainers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** A Forgelet in a container, with a database of its own, which is gone at the end. */
public final class ForgeletContainer extends GenericContainer<ForgeletContainer> {
  private static final int PORT = 8080;

  private final HttpClient client = HttpClient.newHttpClient();
  private final String token = "glpat-" + UUID.randomUUID().toString().replace("-", "");
  private final List<String> command = new ArrayList<>(List.of("serve", "--ephemeral"));

  public ForgeletContainer(String image) {
    this(DockerImageName.parse(image));
  }

  public ForgeletContainer(DockerImageName image) {
    super(image);
    withExposedPorts(PORT);
    withEnv("FORGELET_HOST", "0.0.0.0");
    withEnv("FORGELET_PORT", String.valueOf(PORT));
    withEnv("FORGELET_ROOT_TOKEN", token);
    waitingFor(
        Wait.forHttp("/-/testing/clock")
            .forPort(PORT)
            .withHeader("PRIVATE-TOKEN", token)
            .withStartupTimeout(Duration.ofMinutes(1)));
  }

  /** A license that opens the licensed areas: {@code premium} or {@code ultimate}. */
  public ForgeletContainer withPlan(String plan) {
    command.addAll(List.of("--plan", plan));
    return self();
  }

  /** Ids, times and secrets are the same in each run. */
  public ForgeletContainer withSeed(int seed) {
    command.addAll(List.of("--seed", String.valueOf(seed)));
    return self();
  }

  @Override
  protected void configure() {
    withCommand(command.toArray(String[]::new));
  }

  /** The URL of the server, without a slash at the end. */
  public String getUrl() {
    return "http://" + getHost() + ":" + getMappedPort(PORT);
  }

  /** A token of the administrator {@code root}. */
  public String getToken() {
    return token;
  }

  /** Returns everything to the state after the start, in milliseconds. */
  public void reset() {
    ask("reset", "{}");
  }

  /** Makes ids and secrets follow from a number from now on. */
  public void seed(int number) {
    ask("seed", "{\"seed\":" + number + "}");
  }

  public void setClock(Instant now) {
    ask("clock", "{\"now\":\"" + now + "\"}");
  }

  /** Moves the server's clock on, by whole seconds. */
  public void advance(Duration by) {
    ask("clock", "{\"advance\":" + by.toSeconds() + "}");
  }

  private void ask(String what, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(getUrl() + "/-/testing/" + what))
            .header("PRIVATE-TOKEN", token)
            .header("Content-Type", "application/json")
            .timeout(Duration.ofSeconds(30))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() >= 300)
        throw new IllegalStateException("/-/testing/" + what + ": " + answer.statusCode() + " " + answer.body());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }
}
