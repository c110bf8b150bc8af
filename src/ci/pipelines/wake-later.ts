import type { Tx } from '#platform/db/transaction.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import type { EngineJob } from '../jobs/rows.ts'
import { tellRunners } from '../jobs/tell-runners.ts'
import { ended } from '../jobs/statuses.ts'
import { archiveLogsLater, followDeploymentsLater, prepareJobsLater, startDelayedLater } from './later.ts'

/**
 * Adds what the queue has to do for changed jobs of a pipeline: at most one of each kind, however many jobs there are. Runners are told of
 * those that wait for them.
 */
export async function wakeLater(tx: Tx, pipelineId: number, jobs: readonly EngineJob[]): Promise<void> {
  const payload = { pipeline_id: pipelineId }
  await tellRunners(tx, pipelineId, jobs)
  if (jobs.some(({ status, bridge }) => status === 'preparing' || (bridge && status === 'pending')))
    await enqueue(tx, prepareJobsLater, payload)
  if (jobs.some(tellsDeployment)) await enqueue(tx, followDeploymentsLater, payload)
  if (jobs.some(({ bridge, status }) => !bridge && ended.has(status) && status !== 'skipped'))
    await enqueue(tx, archiveLogsLater, payload)
  const moments = jobs.flatMap(({ status, scheduled_at }) =>
    status === 'scheduled' && scheduled_at !== null ? [scheduled_at] : [],
  )
  const [runAt] = moments.toSorted()
  if (runAt !== undefined) await enqueue(tx, startDelayedLater, payload, { runAt })
}

const TOLD = new Set(['running', 'success', 'failed', 'canceled', 'skipped'])
const tellsDeployment = ({ environment, status }: EngineJob): boolean =>
  environment !== null && TOLD.has(status)
