import type { CiStatus } from '#platform/db/schema.ts'
import { HttpError } from '#platform/http/errors.ts'

/** Why a job cannot be given to any runner, as `failure_reason` says it. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun'
  readonly reason: string
  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

/** Seconds between two messages of a runner about its job. A client panics at 0. */
export const UPDATE_INTERVAL = 3

/** The headers of every answer about a job that its runner is known for. */
export const aboutJob = (status: CiStatus): Readonly<Record<string, string>> => ({
  'job-status': status,
  'x-gitlab-trace-update-interval': String(UPDATE_INTERVAL),
})

/** A refusal of the protocol that its runner shows in its log. */
export const refused = (status: number, why: string, headers: Readonly<Record<string, string>> = {}) =>
  new HttpError(status, { message: why }, headers)
