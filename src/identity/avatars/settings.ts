import { flag } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const avatarSettings = {
  gravatar_enabled: setting(flag(), false, 'Kept, without an effect: no picture comes from there.', {
    kept: true,
  }),
  reencode_avatars: setting(
    flag(),
    false,
    'Whether the server re-encodes new avatars as small PNGs instead of storing them unchanged.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof avatarSettings> {}
}
