import type { Randomness } from '#platform/context.ts'
import { JOB_TOKEN_PREFIX } from '#platform/access/credentials.ts'
import { digestOf } from '#platform/access/digest.ts'

export { JOB_TOKEN_PREFIX }

export interface NewJobToken {
  readonly secret: string
  /** What is stored, in `ci_running_jobs`, for as long as a runner has the job. */
  readonly digest: Buffer
}

/** Makes a token for a job that a runner takes. */
export function newJobToken(random: Randomness): NewJobToken {
  const secret = `${JOB_TOKEN_PREFIX}${random.bytes(20).toString('hex')}`
  return { secret, digest: digestOf(secret) }
}
