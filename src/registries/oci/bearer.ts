import type { Secrets } from '#platform/db/secrets.ts'
import type { ActingJob } from '#platform/access/viewer.ts'
import type { Clock } from '#platform/context.ts'

/** Who sends a request: a user, maybe by a job of theirs, a deploy token, which belongs to a project or group, or nobody known. */
export type Puller =
  | {
      readonly kind: 'user'
      readonly id: number
      readonly username: string
      readonly admin: boolean
      readonly external: boolean
      /** Of the token that they sent. */
      readonly scopes: readonly string[] | 'all'
      readonly job?: ActingJob
    }
  | {
      readonly kind: 'deploy token'
      readonly id: number
      readonly namespaceId: number
      readonly scopes: readonly string[]
    }
  | { readonly kind: 'anonymous' }

/** What may be done with the images of a repository. */
export const actions = ['pull', 'push', 'delete'] as const
export type Action = (typeof actions)[number]

/** A repository of a project, and for what its name is in a token. */
export interface RepositoryScope {
  readonly name: string
  readonly actions: readonly Action[]
}

/** What a token says: who has it, and for which virtual registries and which repositories of projects it was asked for. */
export interface Bearer {
  readonly puller: Puller
  readonly registries: readonly number[]
  readonly repositories: readonly RepositoryScope[]
}

/**
 * Seconds that a token is good for: it outlives an access token that is revoked by no more than that. Whether its user may do something is
 * asked each time.
 */
export const TERM = 300
const AUDIENCE = 'container_registry'
const ISSUER = 'forgelet'
const ALGORITHM = 'HS256'

/** How many tokens that were verified are remembered. A client sends the same one with each request of a pull. */
const MAX_REMEMBERED_TOKENS = 1000

interface Verified extends Bearer {
  /** In milliseconds since 1970. */
  readonly expiresAt: number
}

/** Makes the tokens that clients of registries send, and reads them. */
export class Bearers {
  readonly #clock: Clock
  readonly #secrets: Secrets
  #derived: Buffer | undefined
  readonly #verified = new Map<string, Verified>()

  constructor({ secrets, clock }: { readonly secrets: Secrets; readonly clock: Clock }) {
    this.#clock = clock
    this.#secrets = secrets
  }

  get #key(): Buffer {
    return (this.#derived ??= this.#secrets.derive('container registry tokens'))
  }

  /** @returns the token, which is good for {@link TERM}. */
  async make({ puller, registries, repositories }: Bearer): Promise<string> {
    const { SignJWT } = await import('jose/jwt/sign')
    const now = Math.floor(this.#clock.now().getTime() / 1000)
    return new SignJWT({ puller, registries, repositories })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setIssuedAt(now)
      .setExpirationTime(now + TERM)
      .sign(this.#key)
  }

  /** @returns undefined for what is no token of this server, and for one that has expired */
  async read(token: string): Promise<Bearer | undefined> {
    const known = this.#verified.get(token)
    if (known !== undefined && this.#clock.now().getTime() < known.expiresAt) return known
    const verified = await this.#verify(token)
    if (verified === undefined) return undefined
    this.#verified.set(token, verified)
    const [oldest] = this.#verified.keys()
    if (this.#verified.size > MAX_REMEMBERED_TOKENS && oldest !== undefined) this.#verified.delete(oldest)
    return verified
  }

  async #verify(token: string): Promise<Verified | undefined> {
    const { jwtVerify } = await import('jose/jwt/verify')
    try {
      const { payload } = await jwtVerify(token, this.#key, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: AUDIENCE,
        currentDate: this.#clock.now(),
      })
      const { puller, registries, repositories, exp = 0 } = payload
      // The signature says that this server wrote it; a release before this one wrote less.
      return isPuller(puller) && isNumbers(registries) && isScopes(repositories)
        ? { puller, registries, repositories, expiresAt: exp * 1000 }
        : undefined
    } catch {
      return undefined
    }
  }
}

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'number')

const isScopes = (value: unknown): value is RepositoryScope[] =>
  Array.isArray(value) &&
  value.every((one) => typeof one === 'object' && one !== null && 'name' in one && 'actions' in one)

function isPuller(value: unknown): value is Puller {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false
  if (value.kind === 'anonymous') return true
  if (!('scopes' in value && 'id' in value && typeof value.id === 'number')) return false
  if (value.kind === 'user') return true
  return value.kind === 'deploy token' && 'namespaceId' in value && typeof value.namespaceId === 'number'
}
