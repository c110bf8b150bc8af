import { readdir, realpath, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Config } from '#platform/config/config.ts'
import type { Log } from '#platform/context.ts'
import { findBinaries } from '#platform/db/embedded/binaries.ts'
import { findEarlier } from '#platform/db/embedded/earlier.ts'
import { startEmbedded } from '#platform/db/embedded/index.ts'
import { lockFolder } from '#platform/db/embedded/lock.ts'
import {
  declareReady,
  DRAFT,
  finishUpgrade,
  majorOf,
  removeDraft,
} from '#platform/db/embedded/replace-cluster.ts'
import { findMasterKey } from '#platform/db/master-key.ts'
import { type DatabaseAddress, openPool } from '#platform/db/pool.ts'
import { assertDatabaseWhole, assertFolderWhole } from '#platform/db/restore-mark.ts'
import { assertKnown, DatabaseLoader, makeSchema } from '#program/backup/load-database.ts'
import { MADE_BY_MIGRATIONS, quotedTableName, Snapshot } from '#program/backup/snapshot.ts'
import { Refused } from '#program/cli/command.ts'

export interface UpgradeOptions {
  readonly config: Config
  readonly log: Log
  /** The folder with the programs of the earlier version; undefined: where systems install them. */
  readonly programs: string | undefined
  readonly onProgress: (progress: string) => void
  readonly onStep: (step: string) => void
  readonly signal: AbortSignal
}

/** What was done: the major versions, and where the old cluster is. */
export interface UpgradeResult {
  readonly from: string
  readonly to: string
  readonly kept: string
}

/**
 * Copies the database of a cluster of an earlier major version into a new cluster, which then takes its place. Until
 * the copy is whole, the old cluster stays where it is; afterwards it is kept beside the new one.
 *
 * @returns undefined when there is nothing to do.
 */
export async function upgradeCluster(options: UpgradeOptions): Promise<UpgradeResult | undefined> {
  const { config, log, programs, onStep, signal } = options
  await assertFolderWhole(config.data)
  const { major: to } = findBinaries()
  const dataDir = await realpath(config.data)
  const folder = join(dataDir, 'postgresql')
  const from = await onOwnFolder(dataDir, async () => {
    // An upgrade that was interrupted at its very end.
    await finishUpgrade(dataDir)
    await removeDraft(dataDir, log)
    return majorOf(folder)
  })
  if (from === undefined || from === to) return undefined
  if (Number(from) > Number(to))
    throw new Refused(`${folder} was made by PostgreSQL ${from}: start the newer Forgelet again that made it`)
  const binaries = findEarlier(from, programs)
  await assertSpace(folder, dataDir)

  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => removeDraft(dataDir, log))
  const { secretKey } = config
  const common = { ephemeral: false, log, signal }
  onStep(`starting PostgreSQL ${from} on ${folder}`)
  const old = await startEmbedded({ ...common, dataDir, binaries, secretKey })
  cleanup.defer(() => old.stop())
  onStep(`making a cluster of PostgreSQL ${to}`)
  // The key is in the data folder, where the new cluster is not yet.
  const key = await findMasterKey({ secretKey, dataDir })
  const fresh = await startEmbedded({ ...common, dataDir: join(dataDir, DRAFT), secretKey: key })
  cleanup.defer(() => fresh.stop())
  await copy(old.connection, fresh.connection, options)
  await fresh.stop()
  await declareReady(dataDir)
  await old.stop()
  return onOwnFolder(dataDir, async () => {
    const kept = (await finishUpgrade(dataDir)) ?? join(dataDir, `postgresql.${from}`)
    return { from, to, kept }
  })
}

async function onOwnFolder<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const lock = await lockFolder(dataDir)
  try {
    return await work()
  } finally {
    await lock.release()
  }
}

/** Copies all rows. The schema comes from the migrations, as it was; a later start applies the others. */
async function copy(from: DatabaseAddress, to: DatabaseAddress, options: UpgradeOptions): Promise<void> {
  const { onProgress, onStep, signal } = options
  await assertOurs(from)
  const snapshot = await Snapshot.open(from, MADE_BY_MIGRATIONS)
  try {
    const header = await snapshot.header('left out')
    await assertKnown(header)
    await makeSchema(to, header.migrations.length)
    onStep(`copying ${header.tables.length} tables`)
    const loading = await DatabaseLoader.begin(to, header)
    try {
      let [tables, bytes] = [0, 0]
      const counted = async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
        for await (const piece of pieces) {
          bytes += piece.length
          onProgress(`${tables} of ${header.tables.length} tables, ${Math.round(bytes / 1_000_000)} MB`)
          yield piece
        }
      }
      for (const table of header.tables) {
        const source = snapshot.copy(table)
        const target = loading.copy(table)
        await pipeline(source, counted, target, { signal })
        if (source.rowCount !== target.rowCount)
          throw new Error(
            `${quotedTableName(table)} has ${source.rowCount} rows, its copy ${target.rowCount}`,
          )
        tables += 1
      }
      await loading.setSequences(await snapshot.sequences())
      onStep('checking foreign keys')
      await loading.commit()
    } finally {
      await loading.close()
    }
  } finally {
    await snapshot.close()
  }
}

/** @throws {Refused} when the first start of the instance was interrupted: there is nothing to copy. */
async function assertOurs(address: DatabaseAddress): Promise<void> {
  const pool = openPool(address, 1)
  try {
    await assertDatabaseWhole(pool)
    const { rows } = await pool.query<{ ours: boolean }>(
      `select to_regclass('public.migrations') is not null and to_regclass('graphile_worker.migrations') is not null as ours`,
    )
    if (rows[0]?.ours !== true)
      throw new Refused('the database has no tables: its first start was interrupted. Move it away')
  } finally {
    await pool.end()
  }
}

/** Bytes of a new cluster, and of its log while it is filled. */
const EMPTY = 350_000_000

/** @throws {Refused} when a second cluster of this size does not fit beside the old one. */
async function assertSpace(folder: string, dataDir: string): Promise<void> {
  let size = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.includes(`${folder}/pg_wal`)) continue
    size += (await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size
  }
  const { bavail, bsize } = await statfs(dataDir)
  const needed = size + EMPTY
  if (bavail * bsize >= needed) return
  const inMegabytes = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)} MB`
  throw new Refused(
    `the copy needs ${inMegabytes(needed)} in ${dataDir}, and ${inMegabytes(bavail * bsize)} are free. Nothing was changed`,
  )
}
