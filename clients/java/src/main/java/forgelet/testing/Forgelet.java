package forgelet.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ProxySelector;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A Forgelet with a database of its own, which is gone at the end. It needs nothing but the JDK. */
public final class Forgelet implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String FORM = "application/x-www-form-urlencoded";

  // The environment may name a proxy, which is not meant for this server.
  private final HttpClient client = HttpClient.newBuilder().proxy(ProxySelector.of(null)).build();
  private final Process process;
  private String url;
  private String token;
  private long pid;

  private Forgelet(Process process) {
    this.process = process;
  }

  /**
   * Starts a server and waits until it is ready. The environment variable TEST_FORGELET_COMMAND says how; by default
   * {@code npx forgelet}.
   *
   * @param options further ones of the command, such as {@code --plan ultimate} or {@code --seed 7}
   */
  public static Forgelet start(String... options) {
    try {
      Path folder = Files.createTempDirectory("forgelet-junit-");
      Path ready = folder.resolve("ready.json");
      Path output = folder.resolve("output.txt");
      try {
        return start(ready, output, options);
      } finally {
        for (Path path : List.of(ready, output, folder)) Files.deleteIfExists(path);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static Forgelet start(Path ready, Path output, String... options) throws IOException {
    List<String> words = new ArrayList<>(command());
    words.addAll(List.of("--ephemeral", "--exit-with-stdin", "--ready-file", ready.toString()));
    words.addAll(List.of(options));
    ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().putIfAbsent("FORGELET_PORT", "0");
    Forgelet server = new Forgelet(builder.start());
    try {
      server.waitFor(ready, output);
      return server;
    } catch (RuntimeException | IOException failure) {
      server.close();
      throw failure;
    }
  }

  private static List<String> command() {
    String given = System.getenv("TEST_FORGELET_COMMAND");
    return List.of((given == null || given.isBlank() ? "npx forgelet" : given.trim()).split("\\s+"));
  }

  private void waitFor(Path ready, Path output) throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!Files.exists(ready)) {
      if (!process.isAlive())
        throw new IllegalStateException("Forgelet ended with " + process.exitValue() + ":\n" + Files.readString(output));
      if (System.nanoTime() > deadline) throw new IllegalStateException("Forgelet is not ready after " + PATIENCE);
      pause();
    }
    String line = Files.readString(ready);
    url = valueIn(line, "url");
    token = valueIn(line, "token");
    pid = Long.parseLong(valueIn(line, "pid"));
  }

  private void pause() {
    try {
      process.waitFor(20, TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while Forgelet started", interrupted);
    }
  }

  /** The URL of the server, without a slash at the end. */
  public String url() {
    return url;
  }

  /** A token of the administrator {@code root}. */
  public String token() {
    return token;
  }

  public long pid() {
    return pid;
  }

  /** Returns everything to the state after the start, in milliseconds. */
  public void reset() {
    ask("reset", "{}");
  }

  /** Makes ids and secrets follow from a number from now on. */
  public void seed(int number) {
    ask("seed", "{\"seed\":" + number + "}");
  }

  /** The moment that the server takes for the present. */
  public Instant now() {
    return advance(Duration.ZERO);
  }

  public void setClock(Instant now) {
    ask("clock", "{\"now\":\"" + now + "\"}");
  }

  /** Moves the server's clock on, by whole seconds, and tells its time. */
  public Instant advance(Duration by) {
    return Instant.parse(valueIn(ask("clock", "{\"advance\":" + by.toSeconds() + "}"), "now"));
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

  private String ask(String what, String body) {
    return ask(what, "application/json", body);
  }

  private String ask(String what, String type, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + "/-/testing/" + what))
            .header("PRIVATE-TOKEN", token)
            .header("Content-Type", type)
            .timeout(Duration.ofSeconds(30))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() >= 300)
        throw new IllegalStateException("/-/testing/" + what + ": " + answer.statusCode() + " " + answer.body());
      return answer.body();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  /** These answers are flat, and their texts need no escapes. */
  private static String valueIn(String json, String name) {
    Matcher found = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(json);
    if (!found.find()) throw new IllegalStateException("no " + name + " in " + json);
    return found.group(1);
  }

  /** Stops the server, which removes its data. */
  @Override
  public void close() {
    try {
      // It ends with its standard input, whatever stands between it and us.
      process.getOutputStream().close();
      if (!process.waitFor(30, TimeUnit.SECONDS)) process.destroyForcibly();
    } catch (IOException closed) {
      process.destroy();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
  }
}
