import { integer, MAX_INT4 } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const fileSettings = {
  max_attachment_size: setting(
    integer({ minimum: 1, maximum: MAX_INT4 }),
    100,
    'The maximum size of an attachment, in megabytes.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof fileSettings> {}
}
