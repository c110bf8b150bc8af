import type { CiStatus } from '#platform/db/schema.ts'

/** What people read of a status. */
export interface StatusWords {
  readonly text: string
  readonly label: string
  readonly group: string
  readonly icon: string
}

const texts: Readonly<Record<CiStatus, readonly [text: string, label: string]>> = {
  created: ['Created', 'created'],
  waiting_for_resource: ['Waiting', 'waiting for resource'],
  preparing: ['Preparing', 'preparing'],
  waiting_for_callback: ['Waiting', 'waiting for callback'],
  pending: ['Pending', 'pending'],
  running: ['Running', 'running'],
  success: ['Passed', 'passed'],
  failed: ['Failed', 'failed'],
  canceling: ['Canceling', 'canceling'],
  canceled: ['Canceled', 'canceled'],
  skipped: ['Skipped', 'skipped'],
  manual: ['Manual', 'waiting for manual action'],
  scheduled: ['Scheduled', 'waiting for delayed job'],
}

/** @param warns whether something failed that may */
export function statusWords(status: CiStatus, warns: boolean): StatusWords {
  if (status === 'success' && warns)
    return {
      text: 'Warning',
      label: 'passed with warnings',
      group: 'success-with-warnings',
      icon: 'warning',
    }
  const [text, label] = texts[status]
  return { text, label, group: status.replaceAll('_', '-'), icon: status }
}
