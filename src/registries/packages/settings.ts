import { count, integer } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const packageSettings = {
  generic_packages_max_file_size: setting(
    integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    5 * 1024 ** 3,
    'The maximum size of a file of a generic package, in bytes; 0 means no limit but the room in the file store.',
  ),
  max_package_files: setting(
    count(),
    10_000,
    'The maximum number of files of a package; 0 means no limit. Uploads under a name that is there count, too.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof packageSettings> {}
}
