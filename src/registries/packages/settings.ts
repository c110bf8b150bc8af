import { count, integer } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

const GIGABYTE = 1024 ** 3
const MEGABYTE = 1024 ** 2

const maxFile = (what: string, standard: number) =>
  setting(
    integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    standard,
    `The maximum size of a file of a ${what} package, in bytes; 0 means no limit but the room in the file store.`,
  )

export const packageSettings = {
  generic_packages_max_file_size: maxFile('generic', 5 * GIGABYTE),
  maven_max_file_size: maxFile('Maven', 3 * GIGABYTE),
  npm_max_file_size: maxFile('npm', 500 * MEGABYTE),
  pypi_max_file_size: maxFile('PyPI', 3 * GIGABYTE),
  packages_max_files: setting(
    count(),
    10_000,
    'The maximum number of files of a version of a package; 0 means no limit. Files under a name that is there count, too.',
  ),
  packages_max_versions: setting(
    count(),
    10_000,
    'The maximum number of versions of a package in a project; 0 means no limit.',
  ),
  packages_max_project_size: setting(
    count(),
    0,
    'What the packages of a project may take together, in megabytes; 0 means no limit.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof packageSettings> {}
}
