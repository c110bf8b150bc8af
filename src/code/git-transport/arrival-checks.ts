import type { FastifyInstance } from 'fastify'
import { ExtensionPoint } from '#platform/extension-point.ts'
import type { Repository } from '#code/git/repository.ts'
import type { GitAccess } from './access.ts'

/** What has arrived with a push, before anybody else sees it. */
export interface Arrival {
  /** With the new objects. */
  readonly repository: Repository
  /** The ids of small blobs among the new objects (see Quarantine). */
  readonly small: readonly string[]
  readonly access: GitAccess
  readonly services: FastifyInstance['services']
  readonly signal: AbortSignal
}

/** Looks at what a push brings, and may refuse all of it. */
export interface ArrivalCheck {
  /** @returns the sentence with which the push is refused */
  refuse(arrival: Arrival): Promise<string | undefined>
}

export const arrivalChecks = new ExtensionPoint<ArrivalCheck>('the list of checks of what a push brings')

/** The first refusal. */
export async function refusalOfArrival(arrival: Arrival): Promise<string | undefined> {
  for (const check of arrivalChecks.entries) {
    const refusal = await check.refuse(arrival)
    if (refusal !== undefined) return refusal
  }
  return undefined
}
