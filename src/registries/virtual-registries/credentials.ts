import { createHmac } from 'node:crypto'
import type { Db } from '#platform/db/pool.ts'
import { type KeyRing, keyRing, type SealedColumn } from '#platform/key-ring/key-ring.ts'
import type { Secrets } from '#platform/db/secrets.ts'
import { invalid } from '#platform/refusals.ts'

/** With what an upstream is asked. */
export interface Credentials {
  readonly username: string
  readonly password: string
}

/** Credentials as they are stored; anonymous ones without a username. */
export interface StoredCredentials {
  readonly username: string | null
  readonly password: Buffer | null
  readonly credentials_digest: Buffer
}

/** Username and password as clients send them; blank means none. */
export interface SentCredentials {
  readonly username?: string | null
  readonly password?: string | null
}

const NAME = 'container upstream password'

export const sealedPasswords: SealedColumn = { table: 'container_upstreams', column: 'password', name: NAME }

interface Services {
  readonly db: Db
  readonly secrets: Secrets
}

const ringOf = ({ db, secrets }: Services): KeyRing => keyRing({ db, secrets })

/** Reads what a client sent. @returns undefined for anonymous access. @throws 400 when one of both is blank. */
export function readCredentials({ username, password }: SentCredentials): Credentials | undefined {
  const [name, secret] = [username ?? '', password ?? '']
  if (name === '' && secret === '') return undefined
  if (name === '') throw invalid({ username: ["can't be blank"] })
  if (secret === '') throw invalid({ password: ["can't be blank"] })
  return { username: name, password: secret }
}

/** Encrypts credentials. Call it before the transaction that stores them. */
export async function sealCredentials(
  services: Services,
  credentials: Credentials | undefined,
): Promise<StoredCredentials> {
  const key = services.secrets.derive('container upstream credentials digest')
  const digest = createHmac('sha256', key)
  if (credentials === undefined) {
    return { username: null, password: null, credentials_digest: digest.digest() }
  }
  const { username, password } = credentials
  return {
    username,
    password: await ringOf(services).seal(NAME, password),
    credentials_digest: digest.update(JSON.stringify([username, password])).digest(),
  }
}

/** The credentials of an upstream; undefined for anonymous access. */
export async function openCredentials(
  services: Services,
  { username, password }: Pick<StoredCredentials, 'username' | 'password'>,
): Promise<Credentials | undefined> {
  if (username === null || password === null) return undefined
  return { username, password: await ringOf(services).open(NAME, password) }
}
