import { identifiesStill } from '#platform/access/deploy-tokens.ts'
import { refusalOfState } from '#platform/access/authentication.ts'
import { stillRuns } from '#platform/access/job-reach.ts'
import type { Clock } from '#platform/context.ts'
import type { Db } from '#platform/db/pool.ts'
import { unauthorized } from '#platform/refusals.ts'
import type { Puller } from './bearer.ts'
import { denied } from './errors.ts'

interface Source {
  readonly db: Db
  readonly clock: Clock
}

/**
 * Who has a token that was made here, as they are now: it is worth no more than what it was made for.
 * @throws 401 for a deploy token that is gone, a job that has ended and a user who is gone, 403 for one who is blocked
 */
export async function asNow({ db, clock }: Source, puller: Puller): Promise<Puller> {
  if (puller.kind === 'anonymous') return puller
  if (puller.kind === 'deploy token') {
    if (!(await identifiesStill(db, puller.id, clock.now().toISOString()))) throw unauthorized()
    return puller
  }
  const user = await db
    .selectFrom('users')
    .select(['state', 'admin', 'external'])
    .where('id', '=', puller.id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  const { job } = puller
  if (user === undefined || (job !== undefined && !(await stillRuns(db, job.id)))) throw unauthorized()
  const refusal = refusalOfState(user.state)
  if (refusal !== undefined) throw denied(refusal)
  const { admin, external } = user
  // A job is an administrator's only where it is let in.
  return job === undefined
    ? { ...puller, admin, external }
    : { ...puller, external, job: { ...job, isOfAdmin: admin } }
}
