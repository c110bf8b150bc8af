import { humanTime } from './human-time.ts'

/** The system note of an estimate in seconds; 0 removes it. */
export const estimated = (seconds: number): string =>
  seconds === 0 ? 'removed time estimate' : `changed time estimate to ${humanTime(seconds)}`

/** The system note of spent seconds: negative when time was taken back, null when all of it was removed. */
export function spent(seconds: number | null): string {
  if (seconds === null) return 'removed time spent'
  return `${seconds < 0 ? 'subtracted' : 'added'} ${humanTime(Math.abs(seconds))} of time spent`
}
