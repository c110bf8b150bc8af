import java.util.List;
import org.gitlab4j.api.GitLabApi;
import org.gitlab4j.api.models.Package;
import org.gitlab4j.api.models.PackageFile;
import org.gitlab4j.api.models.PackageFilter;
import org.gitlab4j.api.models.PackageType;
import org.gitlab4j.api.models.RegistryRepository;
import org.gitlab4j.api.models.RegistryRepositoryTag;
import org.gitlab4j.api.models.Release;
import org.gitlab4j.api.models.ReleaseParams;

/** Keeps releases, and reads and deletes packages and images. Prints "held" when all was as it should be. */
final class UseGitLab4J {
    public static void main(String[] args) throws Exception {
        try (GitLabApi api = new GitLabApi(args[0], args[1])) {
            releases(api, args[2]);
            packages(api, args[2]);
            images(api, args[2]);
        }
        System.out.println("held");
    }

    private static void releases(GitLabApi api, String project) throws Exception {
        var releases = api.getReleasesApi();
        Release made = releases.createRelease(project, new ReleaseParams()
            .withTagName("v1").withRef("main").withName("One").withDescription("The *first*")
            .withMilestones(List.of("1.0")));
        hold("One".equals(made.getName()) && made.getReleasedAt() != null && made.getCommit() != null, "made");
        hold("1.0".equals(made.getMilestones().get(0).getTitle()), "its milestone");
        Release changed = releases.updateRelease(project, new ReleaseParams().withTagName("v1").withName("Two"));
        hold("Two".equals(changed.getName()) && "The *first*".equals(changed.getDescription()), "changed");
        hold(releases.getReleases(project).size() == 1, "listed");
        hold(releases.getRelease(project, "v1").getAssets().getSources().size() == 4, "its archives");
        hold(releases.getOptionalRelease(project, "v2").isEmpty(), "none of another tag");
        releases.deleteRelease(project, "v1");
        hold(releases.getReleases(project).isEmpty(), "deleted");
    }

    private static void packages(GitLabApi api, String project) throws Exception {
        var packages = api.getPackagesApi();
        List<Package> all = packages.getPackages(project);
        hold(all.size() == 1 && all.get(0).getPackageType() == PackageType.GENERIC, "the package");
        long id = all.get(0).getId();
        hold("1.0.0".equals(packages.getPackage(project, id).getVersion()), "its version");
        PackageFile file = packages.getPackageFiles(project, id).get(0);
        hold(file.getSize() > 0 && file.getFileSha256().length() == 64, "its file");
        var filter = new PackageFilter().withPackageType(PackageType.NPM);
        hold(packages.getPackages(project, filter, 20).all().isEmpty(), "none of another type");
        packages.deletePackage(project, id);
        hold(packages.getPackages(project).isEmpty(), "the package deleted");
    }

    private static void images(GitLabApi api, String project) throws Exception {
        var registry = api.getContainerRegistryApi();
        RegistryRepository repository = registry.getRepositories(project).get(0);
        hold(repository.getLocation().endsWith(repository.getPath()), "the repository");
        List<RegistryRepositoryTag> tags = registry.getRepositoryTags(project, repository.getId());
        hold(tags.size() == 2 && "v1".equals(tags.get(0).getName()), "its tags");
        RegistryRepositoryTag tag = registry.getRepositoryTag(project, repository.getId(), "v1");
        hold(tag.getDigest().startsWith("sha256:") && tag.getTotalSize() > 0, "a tag");
        registry.deleteRepositoryTag(project, repository.getId(), "v1");
        hold(registry.getRepositoryTags(project, repository.getId()).size() == 1, "the tag deleted");
        registry.deleteRepository(project, repository.getId());
    }

    private static void hold(boolean held, String what) {
        if (!held) throw new AssertionError(what);
    }
}
