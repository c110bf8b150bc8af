import { Type } from 'typebox'
import { repositoriesOf } from '#code/repositories/repositories.ts'
import type { Secrets } from '#platform/db/secrets.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import type { Outgoing } from '#platform/outgoing/outgoing.ts'
import { RemoteRepository } from './fetch-source.ts'
import { openCredentials, type OpenImport } from './import-row.ts'
import { runImport } from './run-import.ts'
import { importLimit } from './settings.ts'
import { takeOver } from './take-over.ts'

declare module '#platform/jobs/task.ts' {
  interface JobServices {
    readonly outgoing?: Outgoing
    readonly secrets?: Secrets
  }
}

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
  const { outgoing, secrets } = job
  if (outgoing === undefined || secrets === undefined) throw new Error('This process imports nothing')
  const { id, url, credentials } = found
  if (url === null) throw new Error(`The import of project ${id} has no URL`)
  const repositories = repositoriesOf(job)
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
