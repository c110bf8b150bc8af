import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ReceivedJob } from './job.ts'

/** Where one job works: a folder of its own, which goes with it. */
export interface WorkFolder {
  /** The clone. */
  readonly project: string
  /** For what the runner itself writes. */
  readonly own: string
  readonly env: Readonly<Record<string, string>>
  remove(): Promise<void>
}

/** Makes the folder of a job, with the files of its file variables. */
export async function makeWorkFolder(builds: string, job: ReceivedJob): Promise<WorkFolder> {
  await mkdir(builds, { recursive: true, mode: 0o700 })
  const base = await mkdtemp(join(builds, `job-${job.id}-`))
  const [project, own, home] = [join(base, 'project'), join(base, 'own'), join(base, 'home')]
  for (const folder of [project, own, home]) await mkdir(folder, { mode: 0o700 })
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    LANG: process.env['LANG'] ?? 'C.UTF-8',
    GIT_TERMINAL_PROMPT: '0',
  }
  for (const [at, { key, value, file }] of job.variables.entries()) {
    // Others are no names of variables, and an environment holds no zeros.
    if (!/^\w+$/.test(key)) continue
    const text = (value ?? '').replaceAll('\0', '')
    env[key] = file === true ? await fileOf(join(own, `variable-${at}`), text) : text
  }
  Object.assign(env, {
    CI_PROJECT_DIR: project,
    CI_BUILDS_DIR: builds,
    CI_SERVER: 'yes',
    GITLAB_CI: 'true',
    CI: 'true',
  })
  return { project, own, env, remove: () => rm(base, { recursive: true, force: true }) }
}

async function fileOf(path: string, text: string): Promise<string> {
  await writeFile(path, text, { mode: 0o600 })
  return path
}
