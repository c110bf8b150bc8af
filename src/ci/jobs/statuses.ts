import type { CiStatus } from '#platform/db/schema.ts'

/** A job or pipeline with one of these has ended. */
export const ended: ReadonlySet<CiStatus> = new Set<CiStatus>(['success', 'failed', 'canceled', 'skipped'])

/** A job with one of these can be canceled. */
export const cancelable: ReadonlySet<CiStatus> = new Set<CiStatus>([
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
  'manual',
  'scheduled',
])

/** Something has a job with one of these. */
export const active: ReadonlySet<CiStatus> = new Set<CiStatus>([
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
  'canceling',
])
