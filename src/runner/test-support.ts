import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Job } from './job.ts'

/** A folder that is gone after the test. */
export async function temporaryFolder(
  files: Readonly<Record<string, string>> = {},
): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'forgelet-runner-'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), text)
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** What surrounds variables where it does not matter. */
export const NOWHERE = { own: {}, folder: '/nowhere', environment: {} }

/** A job of which only this matters. */
export const jobWith = (more: Partial<Job>): Job => ({
  id: 1,
  token: 'token',
  job_info: { name: 'build', project_id: 7, project_name: 'hello' },
  git_info: { repo_url: 'http://127.0.0.1/hello.git', sha: '0'.repeat(40), ref: 'main' },
  runner_info: { timeout: 3_600 },
  variables: [],
  steps: [],
  ...more,
})
