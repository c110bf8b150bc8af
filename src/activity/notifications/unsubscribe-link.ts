import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '#platform/db/secrets.ts'
import type { Context } from './context.ts'

/** What a link ends: mails about a noteable, or those of a project or group. */
export interface Unsubscription {
  readonly userId: number
  readonly from: { readonly noteable: number } | { readonly namespace: number }
}

/** The path of the links. */
export const UNSUBSCRIBE = '/-/unsubscribe'

/** What the mails of a notice can be ended by. */
export const unsubscriptionOf = ({ noteable, place }: Context, userId: number): Unsubscription => ({
  userId,
  from: noteable === undefined ? { namespace: place.id } : { noteable: noteable.id },
})

/** The signed link for one person: whoever has it may use it, and it is good for nothing else. */
export function unsubscribeUrl(
  site: string,
  secrets: Pick<Secrets, 'derive'>,
  wanted: Unsubscription,
): string {
  const what = written(wanted)
  return `${site}${UNSUBSCRIBE}/${what}.${signature(secrets, what)}`
}

/** What a token of a link stands for; undefined when this instance did not sign it. */
export function readToken(secrets: Pick<Secrets, 'derive'>, token: string): Unsubscription | undefined {
  const [, what = '', user = '', kind = '', id = '', given = ''] =
    /^((\d{1,15})-([np])(\d{1,15}))\.([\w-]{43})$/.exec(token) ?? []
  const expected = signature(secrets, what)
  if (given.length !== expected.length || !timingSafeEqual(Buffer.from(given), Buffer.from(expected)))
    return undefined
  return {
    userId: Number(user),
    from: kind === 'n' ? { noteable: Number(id) } : { namespace: Number(id) },
  }
}

const written = ({ userId, from }: Unsubscription): string =>
  'noteable' in from ? `${userId}-n${from.noteable}` : `${userId}-p${from.namespace}`

const signature = (secrets: Pick<Secrets, 'derive'>, what: string): string =>
  createHmac('sha256', secrets.derive('links that end mails')).update(what).digest('base64url')
