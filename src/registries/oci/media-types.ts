/** What registries know of manifests: several images in one, for platforms … */
export const indexTypes: readonly string[] = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
]
/** … and single ones. */
export const manifestTypes: readonly string[] = [
  ...indexTypes,
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
]
