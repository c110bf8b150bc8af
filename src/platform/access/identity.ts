import type { TokenKind, UserKind, UserState } from '#platform/db/schema.ts'
import type { ContainerRow } from './containers.ts'
import type { ActingJob } from './viewer.ts'

/** The person or bot that a request acts as. */
export interface User {
  readonly id: number
  readonly username: string
  readonly name: string
  readonly kind: UserKind
  readonly state: UserState
  readonly admin: boolean
  readonly external: boolean
}

/**
 * How the user was recognized: by their own token, by an application's token, by that of a job that they started, by their token
 * for feeds, or by their session.
 */
export interface Credential {
  readonly id: number
  readonly kind: TokenKind | 'oauth' | 'session' | 'job' | 'feed'
  readonly last_used_at: string | null
  /** The scopes it has; `all` for a signed-in user. */
  readonly scopes: readonly string[] | 'all'
}

export interface Identity {
  readonly user: User
  readonly credential: Credential
  /** The administrator who uses sudo. */
  readonly sudoBy: User | undefined
  /** The id of the administrator who acts as the user, by sudo or with an impersonation token. */
  readonly impersonatorId: number | null
  /** The job whose token was sent. */
  readonly job: ActingJob | undefined
  /** The requested container as the user sees it: null when there is none, undefined when it was not looked up. */
  readonly container: ContainerRow | null | undefined
}

/** The moment of the request, and what the instance allows. */
export interface Policy {
  readonly now: Date
  readonly today: string
  readonly impersonationEnabled: boolean
  /** Whether job tokens reach other projects only by their allow-lists, whatever the projects say. */
  readonly allowListsEnforced: boolean
}
