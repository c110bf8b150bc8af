/** How a part of a job failed, as the server wants to know it. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure'
  readonly reason: string
  readonly exitCode: number | undefined

  constructor(reason: string, why: string, exitCode?: number) {
    super(why)
    this.reason = reason
    this.exitCode = exitCode
  }
}

/** Why a job ends before its scripts do. */
export type Interruption = 'canceling' | 'canceled' | 'timeout' | 'stop'

/** @param timeout the seconds that the job may take */
export function interrupted(why: Interruption, timeout: number): JobFailure {
  if (why === 'timeout')
    return new JobFailure('job_execution_timeout', `the job took longer than ${timeout} seconds, its timeout`)
  if (why === 'stop') return new JobFailure('runner_system_failure', 'the runner was stopped')
  return new JobFailure('job_canceled', 'the job was canceled')
}

/** What anything that was thrown says of the job. */
export function asFailure(error: unknown, signal: AbortSignal): JobFailure {
  if (error instanceof JobFailure) return error
  if (signal.aborted && signal.reason instanceof JobFailure) return signal.reason
  return new JobFailure('runner_system_failure', error instanceof Error ? error.message : String(error))
}
