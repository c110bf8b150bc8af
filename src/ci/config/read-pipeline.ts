import type { JobServices } from '#platform/jobs/task.ts'
import type { PipelineToRead, ReadPipeline } from './pipeline-reading.ts'
import { type FoundConfiguration, findConfiguration } from './sources/find-configuration.ts'
import { Sources } from './sources/sources.ts'
import { readInThread, ReadingFailed } from './thread/reader.ts'

interface ReadingOptions {
  /** Whether somebody wants to see all of it, as lint shows it. */
  readonly shows?: boolean
}

/**
 * Reads the configuration of a pipeline and chooses its jobs, in a thread of its own.
 * @throws 503 where too many configurations are being read
 */
export async function readPipeline(
  services: JobServices,
  toRead: PipelineToRead,
  { shows = false }: ReadingOptions = {},
): Promise<ReadPipeline> {
  const { project, tree, userId, content, compareTo } = toRead
  const own = tree === null ? null : { ...tree, fullPath: project.fullPath }
  const sources = new Sources(services, userId, own, compareTo)
  const found: FoundConfiguration =
    content === undefined
      ? await findConfiguration(sources, own, project.configPath)
      : { text: content, file: '.gitlab-ci.yml', tree: sources.own }
  if ('isMissing' in found) return { ...NOTHING, isThere: false }
  if ('error' in found) return { ...NOTHING, errors: [{ text: found.error }] }
  const { ref, isTag, source, predefined, kept, given, inputs } = toRead
  try {
    const json = await readInThread(
      `user ${userId}`,
      {
        kind: 'read',
        ...found,
        inputs,
        pipeline: { ref, isTag, source, projectPath: project.fullPath },
        predefined,
        kept,
        given,
        shows,
      },
      sources.answer,
    )
    return readJson(json)
  } catch (error) {
    if (!(error instanceof ReadingFailed)) throw error
    return { ...NOTHING, errors: [{ text: error.message }] }
  }
}

const NOTHING: ReadPipeline = {
  isThere: true,
  errors: [],
  warnings: [],
  includes: [],
  merged: null,
  configured: [],
  chosen: null,
}

/** What our own thread wrote. */
function readJson(json: string): ReadPipeline {
  const read: ReadPipeline = JSON.parse(json)
  return read
}
