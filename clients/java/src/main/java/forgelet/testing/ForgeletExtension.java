package forgelet.testing;

import java.util.List;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests a {@link Forgelet}, and resets it before each of them. One server serves all test classes of a run that
 * start it with the same options.
 *
 * <p>{@code @ExtendWith(ForgeletExtension.class)}, or with options
 * {@code @RegisterExtension static ForgeletExtension forgelet = new ForgeletExtension("--plan", "ultimate");}
 */
public final class ForgeletExtension implements BeforeEachCallback, ParameterResolver {
  private final List<String> options;

  public ForgeletExtension() {
    this(new String[0]);
  }

  public ForgeletExtension(String... options) {
    this.options = List.of(options);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    serverOf(context).reset();
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Forgelet.class;
  }

  @Override
  public Forgelet resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return serverOf(context);
  }

  private Forgelet serverOf(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(Namespace.create(ForgeletExtension.class))
        .getOrComputeIfAbsent(options, (key) -> new Kept(Forgelet.start(options.toArray(String[]::new))), Kept.class)
        .server;
  }

  /** JUnit closes it when all tests have run. */
  private static final class Kept implements CloseableResource {
    final Forgelet server;

    Kept(Forgelet server) {
      this.server = server;
    }

    @Override
    public void close() {
      server.close();
    }
  }
}
