import { flag, list, text } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const outgoingSettings = {
  allow_local_requests_from_web_hooks_and_services: setting(
    flag(),
    false,
    'Whether requests that users cause may go to private and local addresses.',
  ),
  outbound_local_requests_whitelist: setting(
    list(text({ max: 255 }), { max: 1000 }),
    [],
    'IP addresses, ranges in CIDR notation and host names that such requests may reach anyway, each optionally with a port.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof outgoingSettings> {}
}
