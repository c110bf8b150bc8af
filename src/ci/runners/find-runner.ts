import { digestOf } from '#platform/access/digest.ts'
import type { Db } from '#platform/db/pool.ts'
import type { CiRunnerAccess, CiRunnerType } from '#platform/db/schema.ts'

/** What the tokens of runners begin with that somebody has made. */
export const RUNNER_TOKEN_PREFIX = 'glrt-'

/** A runner that has shown its token. */
export interface KnownRunner {
  readonly id: number
  readonly runner_type: CiRunnerType
  readonly group_namespace_id: number | null
  readonly paused: boolean
  readonly run_untagged: boolean
  readonly access_level: CiRunnerAccess
  readonly tags: readonly string[]
  readonly maximum_timeout: number | null
  readonly token_expires_at: string | null
}

/** The runner of a token; undefined for a token that is none's or has expired. */
export async function findRunnerOfToken(db: Db, token: string, now: Date): Promise<KnownRunner | undefined> {
  const runner = await db
    .selectFrom('ci_runners')
    .select([
      'id',
      'runner_type',
      'group_namespace_id',
      'paused',
      'run_untagged',
      'access_level',
      'tags',
      'maximum_timeout',
      'token_expires_at',
    ])
    .where('token_digest', '=', digestOf(token))
    .executeTakeFirst()
  if (runner === undefined) return undefined
  const hasExpired = runner.token_expires_at !== null && Date.parse(runner.token_expires_at) <= now.getTime()
  return hasExpired ? undefined : runner
}
