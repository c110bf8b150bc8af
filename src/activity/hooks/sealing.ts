import type { Secrets } from '#platform/db/secrets.ts'
import type { HookRow } from './entity.ts'

/** What a hook keeps secret, opened. */
export interface HookSecrets {
  readonly token: string | null
  readonly signingToken: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
}

/** A secret of one hook opens for no other: the name has its uuid. */
const sealName = (uuid: string, what: string) => `${what} of hook ${uuid}`

export type SecretPart = 'token' | 'signing token' | 'header' | 'variable'

export const sealFor = (secrets: Secrets, uuid: string, part: SecretPart, plain: string): Buffer =>
  secrets.seal(sealName(uuid, part), plain)

/** Opens all secrets of a hook. */
export function openSecretsOf(
  secrets: Secrets,
  { uuid, token, signing_token, values }: Pick<HookRow, 'uuid' | 'token' | 'signing_token' | 'values'>,
): HookSecrets {
  const open = (part: SecretPart, sealed: Buffer) =>
    secrets.open(sealName(uuid, part), sealed).toString('utf8')
  const all = (kind: 'header' | 'variable') =>
    Object.fromEntries(
      values
        .filter((value) => value.kind === kind)
        .map(({ key, sealed }) => [key, open(kind, Buffer.from(sealed, 'base64'))]),
    )
  return {
    token: token === null ? null : open('token', token),
    signingToken: signing_token === null ? null : open('signing token', signing_token),
    headers: all('header'),
    variables: all('variable'),
  }
}
