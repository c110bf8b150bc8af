import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The folder of the project. */
export const tree = join(import.meta.dirname, '..')

/**
 * Runs git on the files of the project with an empty repository of its own, so that a copy without `.git` (a downloaded
 * archive) is tested like a checkout.
 */
function withGit<T>(work: (environment: NodeJS.ProcessEnv) => T): T {
  const repository = mkdtempSync(join(tmpdir(), 'forgelet-git-'))
  try {
    execFileSync('git', ['init', '--quiet', '--bare', repository])
    return work({ ...process.env, GIT_DIR: repository, GIT_WORK_TREE: tree })
  } finally {
    rmSync(repository, { recursive: true, force: true })
  }
}

/** The files of the project as they are now, without what git ignores. */
export function filesOfTree(...patterns: readonly string[]): string[] {
  const args = ['ls-files', '--others', '--exclude-standard', '-z', ...patterns]
  return withGit((env) => execFileSync('git', args, { cwd: tree, env, encoding: 'utf8' }))
    .split('\0')
    .filter((path) => path !== '' && existsSync(join(tree, path)))
}

/** Whether git ignores a path: results and the like. */
export function isIgnored(path: string): boolean {
  return withGit(
    (env) => spawnSync('git', ['check-ignore', '--quiet', path], { cwd: tree, env }).status === 0,
  )
}
