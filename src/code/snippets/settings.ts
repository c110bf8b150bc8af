import { integer } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const snippetSettings = {
  snippet_size_limit: setting(
    integer({ minimum: 1, maximum: 1024 * 1024 * 1024 }),
    50 * 1024 * 1024,
    'The maximum size of the files of a snippet together, in bytes.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof snippetSettings> {}
}
