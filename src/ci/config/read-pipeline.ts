import type { JobServices } from '#platform/jobs/task.ts'
import { readObject } from '#code/git/objects.ts'
import type { PipelineToRead, ReadPipeline } from './pipeline-reading.ts'
import { chooseJobs } from './choose-jobs.ts'
import { inputsOf, readConfiguration } from './read-configuration.ts'

/** Reads the configuration of a pipeline and chooses its jobs. */
export async function readPipeline(_services: JobServices, toRead: PipelineToRead): Promise<ReadPipeline> {
  const { repository, sha, content } = toRead
  const blob = await repository.git.readers.of(repository).info(`${sha}:.gitlab-ci.yml`)
  const text = content ?? (blob && (await readObject(repository, blob.id, 1_000_000))?.content.toString())
  const nothing = {
    isThere: false,
    errors: [],
    warnings: [],
    includes: [],
    merged: null,
    configured: [],
    chosen: null,
  }
  if (text === undefined) return nothing
  const paths = { changed: () => Promise.resolve(null), existing: () => Promise.resolve('') }
  const variables = new Map([...toRead.predefined, ...toRead.kept, ...toRead.given])
  const read = await readConfiguration(text, {
    files: { fetch: (requests) => Promise.resolve(requests.map(() => ({ error: 'not yet' }))) },
    paths,
    variables,
    inputs: inputsOf(toRead.inputs),
    file: '.gitlab-ci.yml',
    tree: 'own',
  })
  const { errors, warnings, includes, jobs } = read
  const chosen =
    errors.length > 0
      ? null
      : await chooseJobs(read, { ...toRead, projectPath: toRead.project.fullPath, paths })
  return { isThere: true, errors, warnings, includes, merged: null, configured: jobs, chosen }
}
