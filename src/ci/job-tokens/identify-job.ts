import type { FastifyRequest } from 'fastify'
import { authenticate } from '#platform/access/authentication.ts'
import { digestOf } from '#platform/access/digest.ts'
import type { Identity } from '#platform/access/identity.ts'
import { anyone, type RouteAccess } from '#platform/access/route-access.ts'
import { policyOf } from '#platform/http/browser-sessions.ts'
import { Unidentified } from '#platform/refusals.ts'

const UNKNOWN = 'This job token is unknown, or its job has ended.'

const access: RouteAccess = {
  subject: anyone,
  scopes: [],
  anonymous: false,
  tier: undefined,
  jobToken: true,
}

/** A request that comes from a job. */
type FromJob = Identity & { readonly job: NonNullable<Identity['job']> }

/**
 * Identifies the job whose token came where only some requests look for one: as the password of git, or as the token of a trigger.
 * @throws 401 for unknown tokens, and those of jobs that have ended; 403 where whoever started the job is blocked
 */
export async function identifyJob(request: FastifyRequest, token: string): Promise<FromJob> {
  const { services } = request.server
  const digest = digestOf(token)
  const identity = await services.failedAuthentications
    .watch(request.ip, digest, () =>
      authenticate(services.db, { kind: 'job token', digest }, access, policyOf(services)),
    )
    .catch((error: unknown) => {
      throw error instanceof Unidentified ? new Unidentified(UNKNOWN) : error
    })
  if (identity?.job === undefined) throw new Unidentified(UNKNOWN)
  request.identity = identity
  request.recognized = true
  request.viewerOnce = undefined
  return { ...identity, job: identity.job }
}
