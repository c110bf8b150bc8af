import { digestOf } from '#platform/access/digest.ts'
import { OAUTH_PREFIX } from '#platform/access/credentials.ts'
import { createResourceToken } from '#tenancy/access-tokens/create-resource-token.ts'
import { createToken } from '#identity/tokens/create-token.ts'
import { Client } from '#test/client.ts'
import { type Actor, type Place, unique, w } from '#test/world.ts'

export const credentialKinds = [
  'impersonation token',
  'session',
  'OAuth token',
  'group token',
  'project token',
] as const
export type CredentialKind = (typeof credentialKinds)[number]

/** A user who owns a place, with one kind of credential and with twins of it that do not work. */
export interface Holder {
  readonly kind: CredentialKind
  readonly id: number
  readonly username: string
  readonly client: Client
  /** A session without the CSRF token of its own. */
  readonly reader?: Client
  readonly expired: Client
  readonly revoked: Client
}

export type AnyPlace = Place & { readonly namespaceId?: number; readonly groupId?: number }

const sending = (secret: string) => new Client(w.url, { 'private-token': secret })
const LONG_AGO = '2020-01-01T00:00:00.000Z'

/** @param as who holds it: an owner of the place, or with `administrator` somebody who is one. */
export async function holderOf(
  kind: CredentialKind,
  place: AnyPlace,
  administrator: boolean,
): Promise<Holder> {
  if (kind === 'project token' || kind === 'group token') return botOf(kind, place)
  const user = await w.user({ admin: administrator, username: unique('holder') })
  await w.member(place.namespaceId ?? place.id, user, 50)
  const { id, username } = user
  return { kind, id, username, ...(await credentialsOf(kind, user)) }
}

async function credentialsOf(kind: 'impersonation token' | 'session' | 'OAuth token', user: Actor) {
  if (kind === 'impersonation token') {
    const made = () =>
      w.write((tx) =>
        createToken(tx, {
          kind: 'impersonation',
          userId: user.id,
          name: 'test',
          scopes: ['api'],
          expiresAt: null,
          prefix: 'glpat-',
        }),
      )
    return withTwins(await made(), await made(), await made())
  }
  if (kind === 'OAuth token') return oauthTokens(user.id)
  const [session, expired, ended] = [await w.session(user), await w.session(user), await w.session(user)]
  await w.db.updateTable('sessions').set({ ends_at: LONG_AGO }).where('id', '=', expired.id).execute()
  await w.db.deleteFrom('sessions').where('id', '=', ended.id).execute()
  return { client: session.client, reader: session.reader, expired: expired.client, revoked: ended.client }
}

interface Token {
  readonly id: number
  readonly secret: string
}

async function withTwins(token: Token, expired: Token, revoked: Token) {
  const update = (values: { expires_at: string } | { revoked_at: string }, { id }: Token) =>
    w.db.updateTable('access_tokens').set(values).where('id', '=', id).execute()
  await update({ expires_at: '2020-01-01' }, expired)
  await update({ revoked_at: LONG_AGO }, revoked)
  return {
    client: sending(token.secret),
    expired: sending(expired.secret),
    revoked: sending(revoked.secret),
  }
}

async function botOf(kind: 'project token' | 'group token', place: AnyPlace): Promise<Holder> {
  const { namespaceId, groupId } = place
  const where =
    kind === 'project token'
      ? { kind: 'project' as const, id: place.id, namespace_id: namespaceId ?? 0 }
      : { kind: 'group' as const, id: groupId ?? place.id, namespace_id: groupId ?? place.id }
  const request = { name: 'bot', scopes: ['api'] as const, access_level: 50 as const }
  const [token, expired, revoked] = await w.write(async (tx) => {
    const policy = w.running.services.settings()
    const made = () => createResourceToken(tx, where, request, policy, { external: false, host: 'localhost' })
    return [await made(), await made(), await made()] as const
  })
  const { username } = await w.db
    .selectFrom('users')
    .select('username')
    .where('id', '=', token.user_id)
    .executeTakeFirstOrThrow()
  return { kind, id: token.user_id, username, ...(await withTwins(token, expired, revoked)) }
}

async function oauthTokens(userId: number) {
  const at = { created_at: LONG_AGO, updated_at: LONG_AGO }
  const application = await w.db
    .insertInto('applications')
    .values({
      ...at,
      uid: unique('application'),
      secret_digest: digestOf(unique('secret')),
      name: 'test',
      redirect_uris: [],
      scopes: ['api'],
      confidential: true,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const insert = async (values: { ends_at: string; revoked_at: string | null }) => {
    const secret = `${OAUTH_PREFIX}${unique('a-secret-of-an-application')}`
    await w.db
      .insertInto('oauth_access_tokens')
      .values({
        ...values,
        digest: digestOf(secret),
        application_id: application.id,
        user_id: userId,
        scopes: ['api'],
        created_at: LONG_AGO,
      })
      .execute()
    return new Client(w.url, { authorization: `Bearer ${secret}` })
  }
  const ends_at = '2999-01-01T00:00:00Z'
  return {
    client: await insert({ ends_at, revoked_at: null }),
    expired: await insert({ ends_at: LONG_AGO, revoked_at: null }),
    revoked: await insert({ ends_at, revoked_at: LONG_AGO }),
  }
}
