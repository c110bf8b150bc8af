import { readObject } from '#code/git/objects.ts'
import { objectAt } from '#code/git/tree.ts'
import type { JobServices } from '#platform/jobs/task.ts'
import type { PipelineToRead, ReadPipeline } from './pipeline-reading.ts'
import { Answers } from './sources/answers.ts'
import type { Order } from './reader/messages.ts'
import { unpack } from './reader/packed.ts'
import type { Outcome } from './reader/reading.ts'
import type { Json } from './values.ts'
import { MOST_BYTES } from './yaml.ts'

const NOTHING: ReadPipeline = {
  isThere: false,
  errors: [],
  warnings: [],
  includes: [],
  merged: null,
  configured: [],
  chosen: null,
}

const wrong = (text: string): ReadPipeline => ({ ...NOTHING, isThere: true, errors: [{ text }] })

/** The file of a project that names no other one. */
const USUAL_FILE = '.gitlab-ci.yml'

/**
 * Reads the configuration of a pipeline, with all that it includes, and chooses its jobs: in a process of its own. What
 * is wrong with the configuration, also that it takes too much, is among the errors.
 * @throws 503 while too many are read, and while a repository or the database cannot be
 */
export async function readPipeline(services: JobServices, toRead: PipelineToRead): Promise<ReadPipeline> {
  const root = await rootOf(toRead)
  if (root === undefined) return NOTHING
  if ('error' in root) return wrong(root.error)
  const { project, ref, isTag, source, predefined, kept, given, shows = false } = toRead
  const answers = new Answers(services, toRead)
  const order = {
    ...root,
    tree: answers.ownTree,
    ref,
    isTag,
    source,
    projectPath: project.fullPath,
    predefined,
    kept,
    given,
    shows,
  }
  const outcome = await services.configurationReaders.read(`project ${project.id}`, order, answers.answer)
  return 'text' in outcome ? { ...unpack(outcome.text), isThere: true } : wrong(TOO_MUCH[outcome.tooMuch])
}

const TOO_MUCH: Readonly<Record<Extract<Outcome, { tooMuch: unknown }>['tooMuch'], string>> = {
  work: 'The configuration takes too long to read: it may have patterns that match in too many ways',
  time: 'The configuration takes too long to read: files that it includes do not arrive in time',
  memory: 'The configuration takes too much memory to read',
}

type Root = Pick<Order, 'text' | 'file' | 'inputs'>

/** The text to begin with; undefined where there is none. */
async function rootOf({
  project,
  tree,
  content,
  inputs,
}: PipelineToRead): Promise<Root | { readonly error: string } | undefined> {
  const path = project.configPath?.trim() || USUAL_FILE
  if (content !== undefined) return { text: content, file: USUAL_FILE, inputs }
  const elsewhere = includeOf(path, inputs)
  if (elsewhere !== undefined)
    return { text: JSON.stringify({ include: [elsewhere] }), file: path, inputs: {} }
  if (tree === null) return undefined
  const { repository, sha } = tree
  const found = await objectAt(repository, sha, path)
  if (found?.type !== 'blob') return undefined
  if (found.size > MOST_BYTES) return { error: 'The parsed YAML is too big' }
  const read = await readObject(repository, found.id)
  return read && { text: read.content.toString('utf8'), file: path, inputs }
}

/** The configuration of another server (`https://…`) or project (`path@group/project:ref`) as what includes it. */
function includeOf(
  path: string,
  inputs: PipelineToRead['inputs'],
): { readonly [key: string]: Json } | undefined {
  const more = Object.keys(inputs).length === 0 ? {} : { inputs }
  if (/^https?:\/\//i.test(path)) return { remote: path, ...more }
  const { file, project, ref } =
    /^(?<file>[^@]+)@(?<project>[^:]+)(?::(?<ref>.+))?$/s.exec(path)?.groups ?? {}
  if (file === undefined || project === undefined) return undefined
  return { project, file, ...(ref !== undefined && { ref }), ...more }
}
