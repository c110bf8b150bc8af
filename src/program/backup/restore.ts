import { open, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '#platform/make-folder.ts'
import type { Config } from '#platform/config/config.ts'
import { type Log, systemClock, systemRandomness } from '#platform/context.ts'
import { type DatabaseAddress, type Db, openDb, openPool } from '#platform/db/pool.ts'
import { RESTORE_MARK } from '#platform/db/restore-mark.ts'
import { belongsTo } from '#platform/db/secrets.ts'
import { findMasterKey } from '#platform/db/master-key.ts'
import { startEmbedded } from '#platform/db/embedded/index.ts'
import { Files } from '#platform/files/files.ts'
import { newId } from '#platform/files/rows.ts'
import { readSettings } from '#platform/settings/settings.ts'
import { syncFolder } from '#code/git/sync-folder.ts'
import { abandonMoves } from '#code/repository-storage-moves/abandon-moves.ts'
import { checkRepositories, type Fault } from '#code/repositories/check.ts'
import { openRepositories } from '#code/repositories/open-repositories.ts'
import type { Repositories } from '#code/repositories/repositories.ts'
import { Refused } from '#program/cli/command.ts'
import { BackupDamaged } from './errors.ts'
import { type Header, streamNames, readHeader } from './header.ts'
import { assertKnown, DatabaseLoader, makeSchema, markDatabase, unmarkDatabase } from './load-database.ts'
import type { ReadPart } from './read-archive.ts'
import { RepositoryLoader } from './load-repository.ts'

export interface RestoreOptions {
  readonly config: Config
  readonly log: Log
  readonly parts: AsyncGenerator<ReadPart>
  readonly onProgress: (progress: string) => void
  readonly onHeader: (header: Header) => void
  readonly onFault: (fault: Fault) => void
  readonly signal: AbortSignal
}

/** What may be in a data folder that counts as empty. */
const ALLOWED = ['secret.key', 'lost+found', 'forgelet.lock']

/**
 * Restores a backup. Until the end, a mark in the data folder and one in the database keep every command and server from taking
 * for whole what is not.
 */
export async function restore(options: RestoreOptions): Promise<void> {
  const { config, parts, signal } = options
  const header = await headerOf(parts)
  options.onHeader(header)
  await assertKnown(header)
  await assertEmpty(config)
  const key = await secretKeyFor(options, header)
  signal.throwIfAborted()

  await makeFolder(config.data, 0o711)
  await writeSynced(
    join(config.data, RESTORE_MARK),
    'This folder holds a part of a backup. See forgelet restore --help.\n',
  )
  if (key !== undefined) await writeSynced(join(config.data, 'secret.key'), `${key}\n`)
  await using cleanup = new AsyncDisposableStack()
  const address = await databaseFor(options, cleanup)
  await markDatabase(address)
  await load(options, header, address)
  await unmarkDatabase(address)
  await cleanup.disposeAsync()
  await rm(join(config.data, RESTORE_MARK))
  await syncFolder(config.data)
}

async function headerOf(parts: AsyncGenerator<ReadPart>): Promise<Header> {
  const first = await parts.next()
  if (first.done === true || first.value.name !== streamNames.header)
    throw new BackupDamaged('this is no backup: its beginning is missing')
  return readHeader(await partAsText(first.value))
}

/** Characters of a text in a backup, such as its header. */
const MAX_BACKUP_TEXT = 64 * 1024 * 1024

export async function partAsText({ content, name }: ReadPart): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of content) {
    size += piece.length
    if (size > MAX_BACKUP_TEXT) throw new BackupDamaged(`the backup is damaged: ${name} is too large`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** @throws {Refused} unless the data folder and the folders of storages have nothing in them. */
async function assertEmpty({ data, storages }: Config): Promise<void> {
  for (const folder of [data, ...storages.values()]) {
    const found = (await readdir(folder).catch(() => [])).filter((name) => !ALLOWED.includes(name))
    if (found.includes(RESTORE_MARK))
      throw new Refused(
        `another restore to ${folder} was interrupted or is under way: remove everything in that folder, and restore again`,
      )
    if (found.length > 0)
      throw new Refused(
        `${folder} is not empty (it has ${found[0] ?? ''}): restore into an empty or new folder`,
      )
  }
}

/**
 * The secret key to write into the data folder; undefined when it is given otherwise.
 * @throws {Refused} when no key is known, or it is not the right one.
 */
async function secretKeyFor({ config, parts }: RestoreOptions, header: Header): Promise<string | undefined> {
  const given = await findMasterKey({ secretKey: config.secretKey, dataDir: config.data })
  const check = header.key_check === null ? undefined : Buffer.from(header.key_check, 'base64')
  if (header.secret_key === 'left out' && given === undefined)
    throw new Refused(
      `the backup was made without the secret key: set FORGELET_SECRET_KEY, or put its file at ${join(config.data, 'secret.key')}`,
    )
  if (given !== undefined && check !== undefined && !belongsTo(given, check))
    throw new Refused('the secret key that was given is not that of the backup')
  if (header.secret_key === 'left out') return undefined
  const part = await parts.next()
  if (part.done === true || part.value.name !== streamNames.secretKey)
    throw new BackupDamaged('the backup is damaged: its secret key is missing')
  const key = await partAsText(part.value)
  if (check !== undefined && !belongsTo(key, check))
    throw new BackupDamaged('the backup is damaged: its secret key was altered')
  return given === undefined ? key : undefined
}

async function databaseFor(
  { config, log, signal }: RestoreOptions,
  cleanup: AsyncDisposableStack,
): Promise<DatabaseAddress> {
  if (config.databaseUrl !== undefined) return { connectionString: config.databaseUrl }
  const { data: dataDir, secretKey } = config
  const embedded = await startEmbedded({ dataDir, ephemeral: false, log, secretKey, signal })
  cleanup.defer(() => embedded.stop())
  return embedded.connection
}

async function load(options: RestoreOptions, header: Header, address: DatabaseAddress): Promise<void> {
  const { config, log, parts, signal, onProgress } = options
  await makeSchema(address, header.migrations.length)
  let part = await loadTables(options, header, address)
  await makeSchema(address)
  const db = openDb(openPool(address, 4))
  try {
    const files = new Files({ config, db, random: systemRandomness, log })
    const settings = await readSettings(db)
    const source = { db, clock: systemClock, random: systemRandomness }
    const repositories = await openRepositories({ config, address, source, log, settings: () => settings })
    try {
      await moveToKnownStorages(db, repositories)
      await abandonMoves(db, systemClock.now().toISOString())
      const loader = new RepositoryLoader(repositories)
      let count = 0
      for (; part !== undefined; part = await nextOf(parts)) {
        signal.throwIfAborted()
        if (part.name.startsWith(streamNames.files)) await loadFile(files, db, part)
        else if (part.name.startsWith(streamNames.repositories)) await loader.load(part)
        else throw new BackupDamaged(`the backup is damaged: ${part.name} is unknown`)
        onProgress(`${(count += 1)} files and parts of repositories`)
      }
      await loader.finish()
      await checkRepositories(repositories, { repair: true, onFault: options.onFault, signal })
    } finally {
      await repositories.close()
    }
  } finally {
    await db.destroy()
  }
}

async function nextOf(parts: AsyncGenerator<ReadPart>): Promise<ReadPart | undefined> {
  const next = await parts.next()
  return next.done === true ? undefined : next.value
}

/** @returns what follows the tables. */
async function loadTables(
  { parts, signal, onProgress }: RestoreOptions,
  header: Header,
  address: DatabaseAddress,
): Promise<ReadPart | undefined> {
  const loading = await DatabaseLoader.begin(address, header)
  try {
    const missing = new Set(header.tables.map(({ schema, name }) => `${schema}.${name}`))
    for (;;) {
      signal.throwIfAborted()
      const part = await nextOf(parts)
      if (part === undefined) throw new BackupDamaged('the backup is damaged: its tables are missing')
      if (part.name === streamNames.sequences) {
        const [name] = missing
        if (name !== undefined) throw new BackupDamaged(`the backup is damaged: the table ${name} is missing`)
        await loading.setSequences(await partAsText(part))
        await loading.commit()
        return await nextOf(parts)
      }
      const name = part.name.slice(streamNames.tables.length)
      await loading.load(loading.tableOf(name), part.content)
      missing.delete(name)
      onProgress(`${header.tables.length - missing.size} of ${header.tables.length} tables`)
    }
  } finally {
    await loading.close()
  }
}

/** Storages that the configuration does not name are not there. */
async function moveToKnownStorages(db: Db, { storages }: Repositories): Promise<void> {
  await db
    .updateTable('repositories')
    .set({ storage: 'default' })
    .where('storage', 'not in', [...storages.names])
    .execute()
}

async function loadFile(files: Files, db: Db, part: ReadPart): Promise<void> {
  const file = await files.find(part.name.slice(streamNames.files.length))
  if (file === undefined) throw new BackupDamaged(`the backup is damaged: no row tells of ${part.name}`)
  const storage = files.stores.current
  const store = await files.stores.of(storage)
  // A bucket may be that of the instance that was backed up, and one must not remove what the other has.
  const name = newId(systemRandomness)
  const key =
    storage === 'disk' && file.storage === 'disk' ? file.key : `${name.slice(0, 2)}/${name.slice(2)}`
  await store.write(key, part.content)
  if (key === file.key) return
  await db.updateTable('files').set({ storage, key }).where('id', '=', file.id).execute()
}

async function writeSynced(path: string, text: string): Promise<void> {
  const there = await readFile(path, 'utf8').catch(() => undefined)
  if (there === text) return
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await syncFolder(dirname(path))
}
