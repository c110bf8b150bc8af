import { createWriteStream } from 'node:fs'
import { copyFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { filesThatMatch, gzipFiles, unzip, zipFiles } from './archive.ts'
import { JobCache } from './cache.ts'
import { type ArtifactsOfJob, type ReceivedJob, valueOf } from './job.ts'
import { Canceled, JobLog } from './job-log.ts'
import { type RunnerApi, RefusedByServer, type ToldEnd } from './runner-api.ts'
import { runProgram } from './run-script.ts'
import { scriptOf } from './script.ts'
import { makeWorkFolder, type WorkFolder } from './work-folder.ts'

/** Milliseconds that `after_script` may take. */
const AFTER_SCRIPT = 5 * 60_000
/** Milliseconds in which the end of a job must reach the server. */
const TELLING = 3_600_000

export interface Machine {
  readonly builds: string
  readonly caches: string
}

/** A command of the job has failed. */
class ScriptFailed extends Error {
  override readonly name = 'ScriptFailed'
  readonly code: number

  constructor(code: number) {
    super(`the script ended with the exit code ${code}`)
    this.code = code
  }
}

/** The job ran for longer than it may. */
class TimedOut extends Error {
  override readonly name = 'TimedOut'
}

/** Runs a job from its clone to its end, and tells the server everything. */
export async function runJob(
  api: RunnerApi,
  job: ReceivedJob,
  machine: Machine,
): Promise<'success' | 'failed' | 'canceled'> {
  const log = new JobLog(api, job, AbortSignal.timeout(job.runner_info.timeout * 1_000 + TELLING))
  const late = new AbortController()
  const timer = setTimeout(
    () => late.abort(new TimedOut(`the job ran for longer than ${job.runner_info.timeout} s`)),
    job.runner_info.timeout * 1_000,
  )
  const folder = await makeWorkFolder(machine.builds, job)
  const running: Running = {
    api,
    job,
    folder,
    log,
    caches: new JobCache(join(machine.caches, String(job.job_info.project_id))),
    signal: AbortSignal.any([log.canceled, late.signal]),
  }
  let end: ToldEnd = { state: 'success' }
  try {
    await prepare(running)
    try {
      await script(running, stepOf(job, 'script'))
    } catch (error) {
      end = endOf(error)
      await log.line(`ERROR: ${error instanceof Error ? error.message : String(error)}`)
      if (error instanceof Canceled) throw error
    }
    await afterScript(running, end)
    await keep(running, end)
  } catch (error) {
    if (!(error instanceof Canceled)) {
      if (end.state === 'success') end = endOf(error)
      await log.line(`ERROR: ${error instanceof Error ? error.message : String(error)}`)
    }
  } finally {
    clearTimeout(timer)
    await folder.remove()
  }
  await log.end()
  if (log.canceled.aborted) return 'canceled'
  await api.tellEnd(job, end, AbortSignal.timeout(TELLING))
  return end.state
}

/** A job while it runs. */
interface Running {
  readonly api: RunnerApi
  readonly job: ReceivedJob
  readonly folder: WorkFolder
  readonly log: JobLog
  readonly caches: JobCache
  /** Ends everything that runs for the job. */
  readonly signal: AbortSignal
}

function endOf(error: unknown): ToldEnd {
  if (error instanceof ScriptFailed)
    return { state: 'failed', failure_reason: 'script_failure', exit_code: error.code }
  if (error instanceof TimedOut) return { state: 'failed', failure_reason: 'job_execution_timeout' }
  return { state: 'failed', failure_reason: 'runner_system_failure' }
}

const stepOf = ({ steps }: ReceivedJob, name: string): readonly string[] =>
  steps.find((step) => step.name === name)?.script ?? []

/** Brings the code, what was kept for the job, and the artifacts that it needs. */
async function prepare(running: Running): Promise<void> {
  const { api, job, folder, log, caches, signal } = running
  await log.line(`Running "${job.job_info.name}" by the shell of this machine`)
  if (valueOf(job, 'GIT_STRATEGY') !== 'none') await clone(running)
  for (const cache of job.cache ?? []) {
    const key = await caches.restore(cache, folder.project)
    await log.line(
      key === undefined ? `Nothing is cached for ${cache.key ?? 'default'}` : `Restored the cache ${key}`,
    )
  }
  for (const { id, name, token, artifacts_file } of job.dependencies ?? []) {
    if (artifacts_file?.filename == null) continue
    const stream = await api.download(id, token, signal)
    if (stream === undefined) throw new Error(`the artifacts of ${name} are gone`)
    const archive = join(folder.own, `artifacts-${id}.zip`)
    await pipeline(stream, createWriteStream(archive))
    await unzip(archive, folder.project)
    await log.line(`Brought the artifacts of ${name}`)
  }
}

/** Clones anew for each job: nothing that an earlier one left behind is there. */
async function clone({ job, folder, log, signal }: Running): Promise<void> {
  const { repo_url, sha, refspecs, depth } = job.git_info
  const git = async (...args: readonly string[]): Promise<void> => {
    const code = await runProgram('git', ['-c', 'init.defaultBranch=main', ...args], {
      cwd: folder.project,
      env: folder.env,
      write: (bytes) => log.write(bytes),
      signal,
    })
    if (code !== 0) throw new Error(`git ${args[0]} failed`)
  }
  await log.line(`Fetching ${sha.slice(0, 8)}`)
  await git('init', '--quiet')
  const shallow = depth == null || depth === 0 ? [] : [`--depth=${depth}`]
  await git('fetch', '--quiet', ...shallow, repo_url, ...(refspecs ?? [sha]))
  await git('checkout', '--quiet', '--detach', sha)
  const submodules = valueOf(job, 'GIT_SUBMODULE_STRATEGY')
  if (submodules === 'normal' || submodules === 'recursive')
    await git(
      'submodule',
      'update',
      '--init',
      '--quiet',
      ...(submodules === 'recursive' ? ['--recursive'] : []),
    )
}

/** @throws ScriptFailed */
async function script(
  { folder, log, signal }: Running,
  commands: readonly string[],
  more = {},
): Promise<void> {
  const file = join(folder.own, 'script.sh')
  await writeFile(file, scriptOf(commands), { mode: 0o600 })
  const code = await runProgram('bash', ['--noprofile', '--norc', file], {
    cwd: folder.project,
    env: { ...folder.env, ...more },
    write: (bytes) => log.write(bytes),
    signal,
  })
  if (code !== 0) throw new ScriptFailed(code)
}

/** Runs `after_script`, whose failure changes nothing. */
async function afterScript(running: Running, { state }: ToldEnd): Promise<void> {
  const commands = stepOf(running.job, 'after_script')
  if (commands.length === 0) return
  const { log } = running
  const signal = AbortSignal.any([log.canceled, AbortSignal.timeout(AFTER_SCRIPT)])
  try {
    await script({ ...running, signal }, commands, { CI_JOB_STATUS: state })
  } catch (error) {
    if (log.canceled.aborted) throw error
    await log.line('WARNING: after_script failed, which changes nothing')
  }
}

/** Keeps what later jobs, and people, want of this one. */
async function keep({ api, job, folder, log, caches, signal }: Running, { state }: ToldEnd): Promise<void> {
  for (const cache of job.cache ?? []) {
    const count = await caches.save(cache, folder.project, state)
    if (count !== undefined) await log.line(`Cached ${count} files as ${cache.key ?? 'default'}`)
  }
  for (const [at, artifacts] of (job.artifacts ?? []).entries()) {
    const when = artifacts.when ?? 'on_success'
    if (when !== 'always' && (when === 'on_success') !== (state === 'success')) continue
    const files = await filesThatMatch(folder.project, artifacts.paths ?? [], artifacts.exclude ?? [])
    if (files.length === 0) {
      await log.line(`WARNING: no files match ${(artifacts.paths ?? []).join(', ')}`)
      continue
    }
    const path = join(folder.own, `upload-${at}`)
    await pack(folder.project, files, artifacts, path)
    try {
      await api.upload(job, path, fieldsOf(artifacts), log.canceled)
    } catch (error) {
      if (!(error instanceof RefusedByServer)) throw error
      throw new Error(`the artifacts were not taken: ${error.message}`, { cause: error })
    }
    signal.throwIfAborted()
    await log.line(`Uploaded ${files.length} files, ${(await stat(path)).size} bytes`)
  }
}

/** @throws Error for several files where the server wants one as it is */
async function pack(
  folder: string,
  files: readonly string[],
  { artifact_format }: ArtifactsOfJob,
  path: string,
): Promise<void> {
  if (artifact_format === 'gzip') return gzipFiles(folder, files, path)
  if (artifact_format !== 'raw') return zipFiles(folder, files, path)
  const [only = '', ...others] = files
  if (others.length > 0) throw new Error(`one file is wanted as it is, and ${files.length} match`)
  await copyFile(join(folder, only), path)
}

const ENDINGS: Readonly<Record<string, string>> = { gzip: 'gz', raw: 'txt' }

function fieldsOf({
  name,
  expire_in,
  artifact_type,
  artifact_format,
}: ArtifactsOfJob): Record<string, string> {
  const type = artifact_type ?? 'archive'
  const format = artifact_format ?? 'zip'
  return {
    artifact_type: type,
    artifact_format: format,
    filename: `${name ?? (type === 'archive' ? 'artifacts' : type)}.${ENDINGS[format] ?? format}`,
    ...(expire_in != null && { expire_in }),
  }
}
