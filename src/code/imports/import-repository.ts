import { Type } from 'typebox'
import { copyObjects } from '#code/git/copy-objects.ts'
import { GitFailed } from '#code/git/errors.ts'
import { Quarantine } from '#code/git/quarantine.ts'
import { copyReferences } from '#code/repositories/copy-references.ts'
import { repositoriesOf } from '#code/repositories/repositories.ts'
import type { Secrets } from '#platform/db/secrets.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import type { Outgoing } from '#platform/outgoing/outgoing.ts'
import { folderIn, ImportRefused, RemoteRepository } from './fetch-source.ts'
import { endImport, findOpenImport, openCredentials, type OpenImport, startImport } from './import-row.ts'
import { importLimit } from './settings.ts'

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
    withLease(job, `import into project ${project_id}`, ({ signal }) => runImport(project_id, job, signal)),
)

/** How often it is tried before people are told that it failed, where this server is to blame. */
const TRIES = 5

/** A process that dies leaves an import that begins again elsewhere. */
async function runImport(projectId: number, job: JobContext, signal: AbortSignal): Promise<void> {
  const found = await findOpenImport(job.db, projectId)
  if (found === undefined) return
  await startImport(job.db, found)
  try {
    await fetchAndCopy(found, job, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ImportRefused) return job.transact((tx) => endImport(tx, found, error.message))
    if (job.attempt >= TRIES) {
      await job.transact((tx) => endImport(tx, found, 'This server could not finish the import'))
    }
    throw error
  }
  await job.transact((tx) => endImport(tx, found))
}

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
  await using remote = await RemoteRepository.open(source, {
    git: repositories.git,
    outgoing,
    maxBytes,
    signal,
  })
  const target = await repositories.ensure({ kind: 'project', project: id }, await remote.defaultBranch())
  await using quarantine = await Quarantine.open(target)
  const { repository, references } = await remote.fetchInto(folderIn(quarantine))
  if (references.length === 0) return
  try {
    const ids = [...new Set(references.map((reference) => reference.id))]
    await copyObjects(repository, target, ids, quarantine, { maxBytes, signal })
    await copyReferences(repositories, target, references, quarantine, signal)
  } catch (error) {
    signal.throwIfAborted()
    // What Git refuses of a push, it refuses here.
    throw error instanceof GitFailed
      ? new ImportRefused(`Git refuses the repository: ${faultOf(error)}`)
      : error
  }
}

/** The sentence of Git that says what is wrong with an object. */
const faultOf = ({ stderr }: GitFailed): string =>
  /^(?:error|fatal): (.{1,200})$/m.exec(stderr)?.[1] ?? 'its objects are damaged'
