import type { Secrets } from '#platform/db/secrets.ts'
import type { Clock } from '#platform/context.ts'

/** Who pulls: a user, or a deploy token, which belongs to a project or group. */
export type Puller =
  | { readonly kind: 'user'; readonly id: number; readonly admin: boolean; readonly external: boolean }
  | { readonly kind: 'deploy token'; readonly namespaceId: number }

/** What a token says: who has it, and for which registries it was asked for. */
export interface Bearer {
  readonly puller: Puller
  readonly registries: readonly number[]
}

/** Seconds that a token is good for: a user who loses access pulls no longer than that from where they stay a member. */
export const TERM = 300
const AUDIENCE = 'container_registry'
const ISSUER = 'forgelet'
const ALGORITHM = 'HS256'

interface Source {
  readonly secrets: Secrets
  readonly clock: Clock
}

const keyOf = ({ secrets }: Source) => secrets.derive('container registry tokens')

/** Makes the token that clients of registries send with each request. */
export async function makeBearer(source: Source, { puller, registries }: Bearer): Promise<string> {
  const { SignJWT } = await import('jose/jwt/sign')
  const now = Math.floor(source.clock.now().getTime() / 1000)
  return new SignJWT({ puller, registries })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt(now)
    .setExpirationTime(now + TERM)
    .sign(keyOf(source))
}

/** @returns undefined for what is no token of this server, and for one that has expired */
export async function readBearer(source: Source, token: string): Promise<Bearer | undefined> {
  const { jwtVerify } = await import('jose/jwt/verify')
  try {
    const { payload } = await jwtVerify(token, keyOf(source), {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      currentDate: source.clock.now(),
    })
    const { puller, registries } = payload
    // The signature says that this server wrote it.
    return isPuller(puller) && isNumbers(registries) ? { puller, registries } : undefined
  } catch {
    return undefined
  }
}

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'number')

function isPuller(value: unknown): value is Puller {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false
  if (value.kind === 'user') return 'id' in value && typeof value.id === 'number'
  return value.kind === 'deploy token' && 'namespaceId' in value && typeof value.namespaceId === 'number'
}
