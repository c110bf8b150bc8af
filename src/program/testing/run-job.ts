import { keepArtifact, storeArtifact, type StoredArtifact } from '#ci/artifacts/store-artifact.ts'
import { zipOf } from '#ci/artifacts/zip.ts'
import { endJob } from '#ci/jobs/end-job.ts'
import { startJob } from '#ci/jobs/finish-job.ts'
import { appendLog } from '#ci/logs/append-log.ts'
import { transact } from '#platform/db/transaction.ts'
import type { JobServices } from '#platform/jobs/task.ts'
import type { JobRun } from './job-run.ts'

/**
 * Starts or ends a job as a runner would, with a log and artifacts.
 * @throws 400 for a job that is neither pending nor running, 404 for none
 */
export async function runJob(
  services: JobServices,
  jobId: number,
  { status, log, coverage, failure_reason, artifacts, reports = {} }: JobRun,
): Promise<void> {
  const stored: StoredArtifact[] = []
  if (artifacts !== undefined) {
    const about = { jobId, type: 'archive', format: 'zip', filename: 'artifacts.zip' } as const
    stored.push(await storeArtifact(services, about, await zipOf(artifacts)))
  }
  for (const [type, content] of Object.entries(reports)) {
    const about = { jobId, type, format: 'raw', filename: `${type}.xml` } as const
    stored.push(await storeArtifact(services, about, Buffer.from(content)))
  }
  const standard = services.settings().default_artifacts_expire_in
  await transact(services, { author: null, ip: null }, async (tx) => {
    if (log !== undefined) await appendLog(tx, jobId, Buffer.from(log))
    for (const one of stored) await keepArtifact(tx, one, standard)
    if (status === 'running') await startJob(tx, jobId)
  })
  if (status === 'running') return
  await endJob(services, jobId, {
    status,
    failureReason: failure_reason ?? 'script_failure',
    ...(coverage !== undefined && { coverage: Number(coverage) }),
  })
}
