import { spawnSync } from 'node:child_process'

/** Why the client of Git LFS cannot be tried here; undefined where it can. */
export const noGitLfs = (): string | undefined =>
  spawnSync('git-lfs', ['version']).status === 0 ? undefined : 'git-lfs is not installed'
