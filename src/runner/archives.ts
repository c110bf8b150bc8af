import { createReadStream, createWriteStream, openAsBlob } from 'node:fs'
import { chmod, lstat, readlink, rm, symlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable, Transform, Writable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { text } from 'node:stream/consumers'
import { zipLibrary } from '#platform/zip-library.ts'
import { inside, makeFolders } from './paths.ts'

/** Entries of one archive. */
const MOST_ENTRIES = 500_000
/** Bytes of all files of an archive, once they are unpacked. */
const MOST_BYTES = 50 * 1024 * 1024 * 1024
/** The part of a mode that says what a file is, and what it is for a link. */
const LINK = 0o120000
const KIND = 0o170000
/** Bytes of what a link leads to. */
const MOST_TARGET = 4_096

/** Packs files of a folder, by their paths in it, into a zip archive. */
export async function pack(folder: string, files: readonly string[], target: string): Promise<void> {
  const { TextReader, ZipWriter } = await zipLibrary()
  const out = createWriteStream(target, { mode: 0o600 })
  const done = finished(out)
  const zip = new ZipWriter(Writable.toWeb(out))
  for (const file of files) {
    const path = join(folder, file)
    const found = await lstat(path).catch(() => undefined)
    // What the job has removed meanwhile.
    if (found === undefined) continue
    const about = { lastModDate: found.mtime, unixMode: found.mode }
    if (found.isSymbolicLink()) await zip.add(file, new TextReader(await readlink(path)), about)
    else if (found.isFile()) await zip.add(file, Readable.toWeb(createReadStream(path)), about)
  }
  await zip.close()
  await done
}

/**
 * Unpacks a zip archive into a folder. It writes nothing outside, neither by names nor by links.
 * @returns how many files and folders it had
 * @throws for an archive that would, for one that is too large, and for what is none
 */
export async function unpack(archive: string, folder: string, most = MOST_BYTES): Promise<number> {
  const { BlobReader, ZipReader } = await zipLibrary()
  const zip = new ZipReader(new BlobReader(await openAsBlob(archive)))
  const links: { readonly path: string; readonly target: string }[] = []
  const room = { left: most }
  let count = 0
  for await (const entry of zip.getEntriesGenerator()) {
    count += 1
    if (count > MOST_ENTRIES) throw new Error('The archive has too many files')
    const path = inside(folder, entry.filename)
    if (path === undefined || (path === '.' && !entry.directory))
      throw new Error(`The archive names a file outside the folder: ${JSON.stringify(entry.filename)}`)
    if (entry.directory) {
      await makeFolders(folder, path)
      continue
    }
    const mode = entry.unixMode ?? 0
    await makeFolders(folder, dirname(path))
    if ((mode & KIND) === LINK) {
      const piped = limited({ left: MOST_TARGET })
      const [target] = await Promise.all([text(piped), entry.getData(Writable.toWeb(piped))])
      links.push({ path, target })
      continue
    }
    const file = join(folder, path)
    // Never through a link that is there already.
    await rm(file, { recursive: true, force: true })
    const piped = limited(room)
    await Promise.all([
      pipeline(piped, createWriteStream(file, { flags: 'wx' })),
      entry.getData(Writable.toWeb(piped)),
    ])
    if ((mode & 0o777) !== 0) await chmod(file, mode & 0o777)
  }
  // Last, so that no file of the archive goes through one.
  for (const { path, target } of links) await link(folder, path, target)
  await zip.close()
  return count
}

async function link(folder: string, path: string, target: string): Promise<void> {
  if (inside(folder, resolve(folder, dirname(path), target)) === undefined)
    throw new Error(`The archive has a link that leads outside the folder: ${JSON.stringify(path)}`)
  await makeFolders(folder, dirname(path))
  await rm(join(folder, path), { recursive: true, force: true })
  await symlink(target, join(folder, path))
}

/** Passes bytes on while there is room. */
function limited(room: { left: number }): Transform {
  return new Transform({
    transform(piece: Buffer, _, done) {
      room.left -= piece.length
      if (room.left < 0) done(new Error('The archive is too large once it is unpacked'))
      else done(null, piece)
    },
  })
}
