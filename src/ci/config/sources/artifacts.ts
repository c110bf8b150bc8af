import type { Readable } from 'node:stream'
import type { JobServices } from '#platform/jobs/task.ts'
import { Refusal } from '#platform/refusals.ts'
import { zipEntry } from '../../artifacts/zip-entry.ts'
import type { IncludeAnswer } from '../includes.ts'
import { MOST_BYTES } from '../yaml.ts'

/** A file among the artifacts of a job of a pipeline. */
interface WantedArtifact {
  readonly pipelineId: number
  readonly job: string
  readonly path: string
}

/**
 * Reads a file out of the artifacts of a job.
 * @param tree what local includes of the file are looked for in
 * @param take whether there is room for so many bytes
 */
export async function readArtifact(
  { db, files }: Pick<JobServices, 'db' | 'files'>,
  { pipelineId, job, path }: WantedArtifact,
  tree: string,
  take: (bytes: number) => boolean,
): Promise<IncludeAnswer> {
  const artifact = await db
    .selectFrom('ci_job_artifacts as a')
    .innerJoin('ci_jobs as j', 'j.id', 'a.job_id')
    .select('a.file_id')
    .where('j.pipeline_id', '=', pipelineId)
    .where('j.name', '=', job)
    .where('j.retried', '=', false)
    .where('a.file_type', '=', 'archive')
    .executeTakeFirst()
  const file = artifact && (await files.find(artifact.file_id))
  if (file === undefined)
    return { error: `Job \`${job}\` not found in parent pipeline or does not have artifacts!` }
  try {
    const text = await textOf(await zipEntry(files, file, path), take)
    if (text === undefined) return { error: `Artifact file \`${path}\` is too large!` }
    if (text === '') return { error: `Artifact file \`${path}\` is empty!` }
    const nowhere = { blob: null, raw: null, contextProject: null, contextSha: null }
    return {
      files: [{ text, tree, shown: { type: 'artifact', location: path, extra: { job }, ...nowhere } }],
    }
  } catch (error) {
    if (error instanceof Refusal)
      return { error: `Artifact file \`${path}\` does not exist in job \`${job}\`!` }
    throw error
  }
}

/** The text of a file; undefined for more than a configuration may have. */
async function textOf(stream: Readable, take: (bytes: number) => boolean): Promise<string | undefined> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of stream) {
    const bytes = Buffer.from(piece)
    size += bytes.length
    if (size > MOST_BYTES || !take(bytes.length)) return undefined
    pieces.push(bytes)
  }
  return Buffer.concat(pieces).toString('utf8')
}
