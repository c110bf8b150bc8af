import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clone } from './git-client.ts'

/** Why the client of Git LFS cannot be tried here; undefined where it can. */
export const noGitLfs = (): string | undefined =>
  spawnSync('git-lfs', ['version']).status === 0 ? undefined : 'git-lfs is not installed'

/** What makes the client keep files that end in `.bin` with LFS. */
export const tracksBin = { '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' }

/** Lets the client of LFS work in a clone, whatever the configuration of the machine. */
export async function withLfs(clone: Clone): Promise<Clone> {
  await clone.run('lfs', 'install', '--local')
  return clone
}

/** Fetches the objects of LFS into a clone. @returns a file of it */
export async function pulled(clone: Clone, file: string): Promise<Buffer> {
  await withLfs(clone)
  await clone.run('lfs', 'pull')
  return readFile(join(clone.folder, file))
}
