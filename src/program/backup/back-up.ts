import type { Config } from '#platform/config/config.ts'
import { type Log, systemClock, systemRandomness } from '#platform/context.ts'
import { findMasterKey } from '#platform/db/master-key.ts'
import { type DatabaseAddress, openDb, openPool } from '#platform/db/pool.ts'
import { Files } from '#platform/files/files.ts'
import { measured } from '#platform/files/measured.ts'
import { readSettings } from '#platform/settings/settings.ts'
import { openRepositories } from '#code/repositories/open-repositories.ts'
import { Refused } from '#program/cli/command.ts'
import { copyRepository } from './copy-repository.ts'
import { type Header, streamNames } from './header.ts'
import { Snapshot, type SnapshotFile } from './snapshot.ts'
import type { Part } from './write-archive.ts'

export interface BackupOptions {
  readonly address: DatabaseAddress
  readonly config: Config
  readonly log: Log
  readonly withKey: boolean
  readonly onProgress: (progress: string) => void
  /** Is told about what cannot be in the backup. */
  readonly onMissing: (what: string) => void
  readonly onHeader: (header: Header) => void
  readonly signal: AbortSignal
}

/** The streams of a backup of a database, and of the files and repositories that it names. */
export async function* backUp(options: BackupOptions): AsyncGenerator<Part> {
  const { address, config, log, withKey, onProgress, signal } = options
  const key = withKey ? await findMasterKey({ secretKey: config.secretKey, dataDir: config.data }) : undefined
  if (withKey && key === undefined) throw new Refused('there is no secret key; back up --without-key')
  const snapshot = await Snapshot.open(address)
  const db = openDb(openPool(address, 2))
  try {
    const header = await snapshot.header(withKey ? 'included' : 'left out')
    options.onHeader(header)
    yield textOf(streamNames.header, JSON.stringify(header))
    if (key !== undefined) yield textOf(streamNames.secretKey, key)
    let tables = 0
    for await (const part of snapshot.tables(header)) {
      signal.throwIfAborted()
      yield part
      onProgress(`${(tables += 1)} of ${header.tables.length} tables`)
    }
    yield textOf(streamNames.sequences, await snapshot.sequences())
    await snapshot.endTables()

    const files = new Files({ config, db, random: systemRandomness, log })
    let count = 0
    for await (const file of snapshot.files()) {
      signal.throwIfAborted()
      yield* copyFile(files, file, options)
      onProgress(`${(count += 1)} of ${header.files} files`)
    }
    const settings = await readSettings(db)
    const source = { db, clock: systemClock, random: systemRandomness }
    const repositories = await openRepositories({ config, address, source, log, settings: () => settings })
    try {
      count = 0
      for await (const row of snapshot.repositories()) {
        signal.throwIfAborted()
        yield* copyRepository(repositories, row)
        onProgress(`${(count += 1)} of ${header.repositories} repositories`)
      }
    } finally {
      await repositories.close()
    }
  } finally {
    await snapshot.close()
    await db.destroy()
  }
}

const textOf = (name: string, text: string): Part => ({ name, content: [Buffer.from(text)] })

/** The bytes of a file. Those that are lost are lost in the backup as well. */
async function* copyFile(
  files: Files,
  file: SnapshotFile,
  { onMissing }: BackupOptions,
): AsyncGenerator<Part> {
  const stream = await (await files.stores.of(file.storage)).read(file.key)
  if (stream === undefined) {
    onMissing(`the file ${file.id} (${file.storage}, ${file.key}) has lost its bytes`)
    return
  }
  const bytes = measured(stream)
  async function* content(): AsyncGenerator<Buffer> {
    for await (const piece of bytes) yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    const { sha256 } = await bytes.digests()
    if (sha256.toString('hex') !== file.sha256)
      onMissing(`the bytes of the file ${file.id} (${file.storage}, ${file.key}) are damaged`)
  }
  yield { name: `${streamNames.files}${file.id}`, content: content() }
}
