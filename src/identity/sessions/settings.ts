import { flag, integer, MAX_INT4, nullable, text } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

const urlOrNull = nullable(text({ max: 4096 }))

export const sessionSettings = {
  session_expire_delay: setting(
    integer({ minimum: 1, maximum: MAX_INT4 }),
    10_080,
    'Minutes until a browser session expires.',
  ),
  notify_on_unknown_sign_in: setting(
    flag(),
    true,
    'Whether people get a mail about a sign-in from where they have not been seen before.',
  ),
  home_page_url: setting(urlOrNull, null, 'Where `/` sends people who are not signed in.'),
  after_sign_out_path: setting(urlOrNull, null, 'Where people go after they sign out.'),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof sessionSettings> {}
}
