import { count } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const importSettings = {
  max_import_size: setting(
    count(),
    5_120,
    'The maximum size of an import, in megabytes; 0 means no limit but the room on the disk.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof importSettings> {}
}

const MEGABYTE = 1024 * 1024

/** Bytes that an import may have; 0 for no limit. */
export const importLimit = ({ max_import_size }: ValuesOf<typeof importSettings>): number =>
  max_import_size * MEGABYTE
