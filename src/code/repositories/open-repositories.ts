import { sep } from 'node:path'
import type { Config } from '#platform/config/config.ts'
import type { Log } from '#platform/context.ts'
import type { DatabaseAddress } from '#platform/db/pool.ts'
import type { TransactionSource } from '#platform/db/transaction.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { Git } from '#code/git/processes/git.ts'
import { assertGit } from '#code/git/version.ts'
import { Holder } from './holder.ts'
import { Repositories } from './repositories.ts'
import { Storages } from './storages.ts'

export interface OpenOptions {
  readonly config: Pick<Config, 'data' | 'storages'>
  readonly address: DatabaseAddress
  readonly source: TransactionSource
  readonly log: Log
  readonly settings: () => Settings
}

/**
 * Opens the repositories of the instance: checks git and the storages, and tells other processes that this one lives.
 * @throws GitUnusable when there is no git, or it is too old. Storages that cannot be used are logged.
 */
export async function openRepositories({
  config,
  address,
  source,
  log,
  settings,
}: OpenOptions): Promise<Repositories> {
  const git = new Git()
  const storages = new Storages({ config, db: source.db, random: source.random, log })
  const holder = new Holder({ address, random: source.random, log })
  git.onLong = (folder) => holder.use(relativePathOf(folder))
  await Promise.all([assertGit(), storages.check(), holder.hold()])
  return new Repositories({ source, git, storages, holder, log, settings })
}

/** The last three names of a folder: two digits, two digits, and the rest. */
const relativePathOf = (folder: string): string => folder.split(sep).slice(-3).join('/')
