import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.api.TransportCommand;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.transport.PushResult;
import org.eclipse.jgit.transport.RemoteRefUpdate;
import org.eclipse.jgit.transport.UsernamePasswordCredentialsProvider;

/**
 * Clones, commits, pushes and fetches with JGit, which Java programs have in them instead of git: over HTTP with a token, or over SSH
 * with the program that GIT_SSH names. Prints what the server says of the pushes.
 */
public class UseJGit {
  private static String token;

  /** @param args a URL, an empty folder, and a token for URLs of HTTP */
  public static void main(String[] args) throws Exception {
    String url = args[0];
    Path folder = Path.of(args[1]);
    token = args.length > 2 ? args[2] : null;
    try (Git first = cloned(url, folder.resolve("first")); Git second = cloned(url, folder.resolve("second"))) {
      ObjectId begin = first.getRepository().resolve("HEAD");
      expect(begin.equals(second.getRepository().resolve("HEAD")), "both clones have the same commit");

      // More than JGit keeps in memory to learn its length: it is sent in chunks.
      byte[] large = new byte[3 * 1024 * 1024];
      new Random(1).nextBytes(large);
      first.checkout().setCreateBranch(true).setName("made").call();
      ObjectId made = commit(first, "large.bin", large);
      pushed(first, "made", List.of());

      authorized(second.fetch()).call();
      expect(made.equals(second.getRepository().resolve("refs/remotes/origin/made")), "the branch is fetched");
      second.checkout().setCreateBranch(true).setName("made").setStartPoint("origin/made").call();
      ObjectId more = commit(second, "small.txt", "small\n".getBytes());
      System.out.print(pushed(second, "made", List.of("merge_request.create", "ci.skip", "surprise")));

      authorized(first.pull()).call();
      expect(more.equals(first.getRepository().resolve("HEAD")), "the branch is pulled");
    }
    System.out.println("held");
  }

  private static Git cloned(String url, Path folder) throws Exception {
    return authorized(Git.cloneRepository().setURI(url).setDirectory(folder.toFile())).call();
  }

  private static ObjectId commit(Git git, String name, byte[] content) throws Exception {
    Files.write(git.getRepository().getWorkTree().toPath().resolve(name), content);
    git.add().addFilepattern(name).call();
    return git.commit().setMessage("Add " + name).setAuthor("Ada", "ada@example.com").setCommitter("Ada", "ada@example.com").setSign(false).call();
  }

  /** @return what the server says */
  private static String pushed(Git git, String branch, List<String> options) throws Exception {
    StringBuilder said = new StringBuilder();
    for (PushResult result : authorized(git.push().add(branch).setPushOptions(new ArrayList<>(options))).call()) {
      for (RemoteRefUpdate update : result.getRemoteUpdates()) {
        expect(update.getStatus() == RemoteRefUpdate.Status.OK, update + " " + result.getMessages());
      }
      said.append(result.getMessages());
    }
    return said.toString();
  }

  private static <C extends TransportCommand<C, ?>> C authorized(C command) {
    return token == null ? command : command.setCredentialsProvider(new UsernamePasswordCredentialsProvider("oauth2", token));
  }

  private static void expect(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }
}
