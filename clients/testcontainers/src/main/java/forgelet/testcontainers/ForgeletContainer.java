package forgelet.testcontainers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** A Forgelet in a container, with a database of its own, which is gone at the end. */
public final class ForgeletContainer extends GenericContainer<ForgeletContainer> {
  private static final int PORT = 8080;
  private static final String FORM = "application/x-www-form-urlencoded";

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

  /**
   * Starts or ends a job of a pipeline, as a runner would.
   *
   * @param outcome {@code status} ({@code running}, {@code success}, {@code failed}, {@code canceled}), and if wanted {@code log}, {@code
   *     coverage}, {@code failure_reason}, {@code artifacts[PATH]} and {@code reports[KIND]}
   */
  public void runJob(long id, Map<String, String> outcome) {
    ask("jobs/" + id, FORM, formOf(outcome));
  }

  private static String formOf(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(field -> encoded(field.getKey()) + "=" + encoded(field.getValue()))
        .collect(Collectors.joining("&"));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private void ask(String what, String body) {
    ask(what, "application/json", body);
  }

  private void ask(String what, String type, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(getUrl() + "/-/testing/" + what))
            .header("PRIVATE-TOKEN", token)
            .header("Content-Type", type)
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
