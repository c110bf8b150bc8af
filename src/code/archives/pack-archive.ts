import { createWriteStream } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Readable as Stream } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { TarSource } from 'modern-tar/fs'
import { BRANCHES, TAGS } from '#code/git/names.ts'
import { listReferences } from '#code/git/references.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import type { Db } from '#platform/db/pool.ts'
import { BUNDLE, LFS_LIST, LFS_OBJECTS, PROJECT, UPLOADS } from './names.ts'
import type { ArchivedProject, ArchivePart } from './part.ts'
import { allParts } from './parts/all.ts'
import type { ProjectFile } from './project-file.ts'

/** An object of Git LFS or an upload, whose bytes nobody reads before its turn. */
export interface PackedObject {
  /** The SHA-256 of its bytes. */
  readonly oid: string
  readonly size: number
  readonly read: () => AsyncIterable<Buffer>
}

export interface PackOptions {
  readonly db: Db
  readonly project: ArchivedProject
  readonly description: ProjectFile
  readonly repository: StoredRepository | undefined
  readonly lfsObjects: readonly PackedObject[]
  readonly uploads: readonly PackedObject[]
  /** Where the files of the archive are until it is complete. */
  readonly folder: string
  readonly signal: AbortSignal
}

/** Writes the archive of a project, and gives its bytes. `project.json` comes first, for readers who only want that. */
export async function packArchive(options: PackOptions): Promise<Readable> {
  const { folder, description, lfsObjects, uploads } = options
  const files = [PROJECT]
  await writeFile(join(folder, PROJECT), JSON.stringify(description))
  for (const part of allParts()) files.push(await writePart(part, options))
  if (await writeBundle(options)) files.push(BUNDLE)
  if (lfsObjects.length > 0) {
    await writeFile(join(folder, LFS_LIST), JSON.stringify(listOf(lfsObjects)))
    files.push(LFS_LIST)
  }
  const { packTar } = await import('modern-tar/fs')
  const tar = packTar([
    ...files.map((file) => ({ type: 'file', source: join(folder, file), target: file, mode: MODE }) as const),
    ...lfsObjects.map((one) => sourceOf(LFS_OBJECTS, one)),
    ...uploads.map((one) => sourceOf(UPLOADS, one)),
  ])
  const zipped = createGzip({ level: 6 })
  // Whoever reads the bytes hears of the error.
  pipeline(tar, zipped).catch(() => {})
  return zipped
}

const MODE = 0o644

/** For readers that keep objects of wikis, too: 0 stands for the repository of the project. */
const listOf = (objects: readonly PackedObject[]) => Object.fromEntries(objects.map(({ oid }) => [oid, [0]]))

/** Its bytes go from their store into the archive: they may be more than the disk has room for. */
const sourceOf = (folder: string, { oid, size, read }: PackedObject): TarSource => {
  const entry = { target: `${folder}/${oid}`, mode: MODE }
  if (size === 0) return { ...entry, type: 'content', content: '' }
  return { ...entry, type: 'stream', content: Stream.from(read(), { objectMode: false }), size }
}

async function writePart(part: ArchivePart, { db, project, folder, signal }: PackOptions): Promise<string> {
  const file = `${part.name}.ndjson`
  async function* lines(): AsyncGenerator<string> {
    for await (const rows of part.read(db, project)) {
      signal.throwIfAborted()
      yield rows.map((row) => `${JSON.stringify(row)}\n`).join('')
    }
  }
  await pipeline(Stream.from(lines()), createWriteStream(join(folder, file)), { signal })
  return file
}

/** @returns whether there is anything in the repository */
async function writeBundle({ repository, folder, signal }: PackOptions): Promise<boolean> {
  if (repository === undefined) return false
  const found = [...(await listReferences(repository, BRANCHES)), ...(await listReferences(repository, TAGS))]
  if (found.length === 0) return false
  const options = { lane: 'transfer', signal } as const
  const process = await repository.git.start(
    repository,
    ['bundle', 'create', '-q', '-', '--branches', '--tags'],
    options,
  )
  process.stdin.end()
  await pipeline(process.output(), createWriteStream(join(folder, BUNDLE)), { signal })
  return (await stat(join(folder, BUNDLE))).size > 0
}
