import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, lstat, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { retry } from './api.ts'
import { pack, unpack } from './archives.ts'
import { counted } from './counted.ts'
import { findFiles } from './files-of-job.ts'
import type { Artifact, Job } from './job.ts'
import type { JobClient } from './job-client.ts'
import type { JobVariables } from './variables.ts'

/** What moving artifacts needs. */
export interface ArtifactPlace {
  readonly client: JobClient
  readonly job: Job
  readonly variables: JobVariables
  /** The folder of the project. */
  readonly folder: string
  /** Where files may be meanwhile. */
  readonly work: string
  readonly signal: AbortSignal
  readonly say: (text: string) => Promise<void>
}

/** Milliseconds for which one transfer is repeated. */
const PATIENCE = 15 * 60_000

/** Says something of which nothing depends that it is said. */
async function note(say: ArtifactPlace['say'], text: string): Promise<void> {
  try {
    await say(text)
  } catch {
    // The log cannot be written, which the job will notice.
  }
}

const retried = <T>({ signal, say }: ArtifactPlace, attempt: () => Promise<T>): Promise<T> =>
  retry(attempt, {
    until: performance.now() + PATIENCE,
    signal,
    onFailure: ({ message }) => void note(say, `The server does not answer (${message}): once more`),
  })

/** Gets the artifacts of the jobs that this one depends on. @throws where one cannot be had */
export async function getArtifacts(place: ArtifactPlace): Promise<void> {
  const { client, job, folder, work, signal, say } = place
  for (const dependency of job.dependencies ?? []) {
    if (dependency.artifacts_file === undefined || dependency.artifacts_file === null) continue
    await say(`Getting the artifacts of ${dependency.name}`)
    const file = join(work, `dependency-${dependency.id}.zip`)
    if (!(await retried(place, () => client.download(dependency, file, signal))))
      throw new Error(`The artifacts of ${dependency.name} are gone: run that job again`)
    const count = await unpack(file, folder)
    await rm(file, { force: true })
    await say(`Got ${counted(count, 'file')} of ${dependency.name}`)
  }
}

/** Whether an artifact is sent of a job that went like this. */
export const isWanted = ({ when }: Pick<Artifact, 'when'>, hasPassed: boolean): boolean =>
  when === 'always' || (when === 'on_failure') !== hasPassed

/** Sends what the job made. @throws where something cannot be sent */
export async function sendArtifacts(place: ArtifactPlace, hasPassed: boolean): Promise<void> {
  for (const artifact of (place.job.artifacts ?? []).filter((one) => isWanted(one, hasPassed)))
    await sendOne(place, artifact)
}

async function sendOne(place: ArtifactPlace, artifact: Artifact): Promise<void> {
  const { client, variables, folder, work, signal, say } = place
  const kind = artifact.artifact_type ?? 'archive'
  const expanded = (texts: readonly string[] | null | undefined) =>
    (texts ?? []).map((text) => variables.expand(text))
  const { files, warnings } = await findFiles(folder, {
    paths: expanded(artifact.paths),
    exclude: expanded(artifact.exclude),
    untracked: artifact.untracked === true,
  })
  for (const warning of warnings) await say(`Artifacts (${kind}): ${warning}`)
  if (files.length === 0) {
    await say(`Artifacts (${kind}): nothing to send`)
    return
  }
  const file = join(
    work,
    fileNameOf(artifact, (text) => variables.expand(text)),
  )
  try {
    await say(`Sending ${counted(files.length, 'file')} (${kind})`)
    await write(artifact, { folder, files, file })
    await retried(place, () => client.upload(file, artifact, signal))
    await say(`Sent ${counted(files.length, 'file')} (${kind})`)
  } finally {
    await rm(file, { force: true })
  }
}

/** What an artifact is called: never a path. */
export function fileNameOf(
  { name, artifact_format: format }: Pick<Artifact, 'name' | 'artifact_format'>,
  expand: (text: string) => string,
): string {
  const wanted = expand(name ?? '')
    .replace(/[^\w.+@ -]/g, '-')
    .replace(/^\.+$/, '')
    .slice(0, 200)
  const ending = format === 'gzip' ? '.gz' : format === 'raw' ? '' : '.zip'
  return `${wanted === '' ? 'artifacts' : wanted}${ending}`
}

interface Written {
  readonly folder: string
  readonly files: readonly string[]
  readonly file: string
}

/** A file itself, not one that a link leads to. */
async function fileIn(folder: string, name: string): Promise<string> {
  const path = join(folder, name)
  if (!(await lstat(path)).isFile()) throw new Error(`${name} is a link, and no file`)
  return path
}

async function write({ artifact_format: format }: Artifact, { folder, files, file }: Written): Promise<void> {
  const [first = '', ...more] = files
  if (format === 'raw') {
    if (more.length > 0) throw new Error('Artifacts of the format raw are one file')
    await copyFile(await fileIn(folder, first), file)
  } else if (format === 'gzip') {
    // Several gzip files one behind the other are one.
    for (const [at, name] of files.entries())
      await pipeline(
        createReadStream(await fileIn(folder, name)),
        createGzip(),
        createWriteStream(file, { flags: at === 0 ? 'w' : 'a', mode: 0o600 }),
      )
  } else await pack(folder, files, file)
}
