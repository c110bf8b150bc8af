import { Type } from 'typebox'
import { withLease } from '#platform/jobs/lease.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { RemoteRepository } from './fetch-source.ts'
import { openCredentials, type OpenImport } from './import-row.ts'
import { runImport } from './run-import.ts'
import { importLimit } from './settings.ts'
import { takeOver } from './take-over.ts'

/** Gives a new project the branches and tags of a repository of another server. */
export const importRepository = defineTask(
  'repositories/import',
  'outside',
  Type.Object({ project_id: Type.Integer() }),
  ({ project_id }, job) =>
    withLease(job, `import into project ${project_id}`, ({ signal }) =>
      runImport(project_id, job, signal, fetchAndCopy),
    ),
)

async function fetchAndCopy(found: OpenImport, job: JobContext, signal: AbortSignal): Promise<void> {
  const { outgoing, secrets, repositories } = job
  const { id, url, credentials } = found
  if (url === null) throw new Error(`The import of project ${id} has no URL`)
  const maxBytes = importLimit(repositories.settings())
  const source = {
    url,
    credentials: credentials === null ? undefined : openCredentials(secrets, credentials),
  }
  const { git } = repositories
  await using remote = await RemoteRepository.open(source, { git, outgoing, maxBytes, signal })
  const target = await repositories.ensure({ kind: 'project', project: id }, await remote.defaultBranch())
  await takeOver(repositories, target, (folder) => remote.fetchInto(folder), { maxBytes, signal })
}
