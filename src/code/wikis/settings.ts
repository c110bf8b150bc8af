import { integer } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const wikiSettings = {
  wiki_page_max_content_bytes: setting(
    // Git reads objects of up to 32 MiB whole.
    integer({ minimum: 1_024, maximum: 32 * 1024 * 1024 }),
    5 * 1024 * 1024,
    'The maximum size of a page of a wiki, in bytes.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof wikiSettings> {}
}
