import { flag } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const spamSettings = {
  spam_check_endpoint_enabled: setting(
    flag(),
    false,
    'Whether a service checks issues, snippets and notes for spam; `FORGELET_SPAM_URL` names it.',
  ),
  spam_check_fail_open: setting(
    flag(),
    true,
    'Whether people may go on writing while the service that checks for spam does not answer.',
  ),
  recaptcha_enabled: setting(
    flag(),
    false,
    'Whether people may publish what looks like spam by a CAPTCHA; `FORGELET_CAPTCHA_URL` names its service.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof spamSettings> {}
}
