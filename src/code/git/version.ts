import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { gitEnvironment } from './processes/environment.ts'

/** The oldest git whose commands and options the program uses. */
const OLDEST = [2, 39] as const

/** There is no git on this machine, or it is too old. The message says what to do. */
export class GitUnusable extends Error {
  override readonly name = 'GitUnusable'
}

/**
 * Asks git for its version. It is the only process that the server starts by itself: at its start it is small, and what
 * starts the others (`src/platform/processes/starter.ts`) waits until somebody uses a repository.
 */
async function askGit(): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['version'], {
    env: gitEnvironment(undefined),
    cwd: '/',
  })
  return stdout
}

/** The version of the installed git. @throws {GitUnusable} when there is none, or it is too old */
export async function assertGit(ask: () => Promise<string> = askGit): Promise<string> {
  const wanted = `Forgelet needs git ${OLDEST.join('.')} or later`
  const text = await ask().catch((error: unknown) => {
    throw new GitUnusable(
      `${wanted}, and finds none in /usr/local/bin, /usr/bin or /bin. Install the package "git".`,
      {
        cause: error,
      },
    )
  })
  const [version = text.trim(), major = '0', minor = '0'] = /(\d+)\.(\d+)[\w.]*/.exec(text) ?? []
  const isOld = Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1])
  if (isOld) throw new GitUnusable(`${wanted}, and this is ${version}. Update the package "git".`)
  return version
}
