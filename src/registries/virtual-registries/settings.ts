import { flag, integer, MAX_INT4 } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const virtualRegistrySettings = {
  container_virtual_registries_enabled: setting(
    flag(),
    true,
    'Whether there are container virtual registries, where their feature flag is on.',
  ),
  container_virtual_registries_cache_limit: setting(
    integer({ minimum: 0, maximum: MAX_INT4 }),
    10_240,
    'How many megabytes of images all virtual registries keep together; what was not used for longest goes first. 0 for no limit.',
  ),
  container_virtual_registries_cache_days: setting(
    integer({ minimum: 0, maximum: 36_500 }),
    90,
    'After how many days without use virtual registries forget an image; 0 for never.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof virtualRegistrySettings> {}
}
