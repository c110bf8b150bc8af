import { createReadStream, createWriteStream, openAsBlob } from 'node:fs'
import { chmod, glob, lstat, mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, matchesGlob, sep } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

/** Files of one archive, and bytes that come out of one. */
const MOST_FILES = 200_000
const MOST_BYTES = 20 * 1024 ** 3

/** An archive has too much in it. */
export class TooLargeArchive extends Error {
  override readonly name = 'TooLargeArchive'
}

/**
 * The files below a folder that patterns name, folders with all that is in them. Nothing outside of it, whatever links say.
 * @returns paths from the folder on, sorted
 */
export async function filesThatMatch(
  folder: string,
  patterns: readonly string[],
  exclude: readonly string[] = [],
): Promise<readonly string[]> {
  const root = await realpath(folder)
  const found = new Set<string>()
  const add = async (path: string): Promise<void> => {
    const full = join(root, path)
    const about = await lstat(full).catch(() => undefined)
    if (about === undefined || !isInside(root, await realpath(full).catch(() => '/'))) return
    if (about.isDirectory()) {
      for await (const below of glob('**', { cwd: full })) if (below !== '') await addFile(join(path, below))
    } else await addFile(path)
  }
  const addFile = async (path: string): Promise<void> => {
    const full = join(root, path)
    const about = await stat(full).catch(() => undefined)
    if (about?.isFile() !== true || !isInside(root, await realpath(full))) return
    if (exclude.some((pattern) => matchesGlob(path, pattern))) return
    if (found.size >= MOST_FILES) throw new TooLargeArchive(`more than ${MOST_FILES} files`)
    found.add(path)
  }
  for (const pattern of patterns)
    for await (const path of glob(pattern.replace(/^\.?\/+/, ''), { cwd: root }))
      if (path !== '' && !path.startsWith('..')) await add(path)
  return [...found].toSorted()
}

const isInside = (root: string, path: string): boolean => path === root || path.startsWith(root + sep)

/** Makes a zip archive of files below a folder. */
export async function zipFiles(folder: string, paths: readonly string[], target: string): Promise<void> {
  const { configure, ZipWriter } = await import('@zip.js/zip.js')
  configure({ useWebWorkers: false })
  const zip = new ZipWriter(Writable.toWeb(createWriteStream(target)))
  for (const path of paths) {
    const { mode, mtime } = await stat(join(folder, path))
    const readable = Readable.toWeb(createReadStream(join(folder, path)))
    await zip.add(path, { readable }, { unixMode: mode, lastModDate: mtime })
  }
  await zip.close()
}

/** Files as reports are sent: each compressed by gzip, one after the other. */
export async function gzipFiles(folder: string, paths: readonly string[], target: string): Promise<void> {
  await writeFile(target, '')
  for (const path of paths)
    await pipeline(
      createReadStream(join(folder, path)),
      createGzip(),
      createWriteStream(target, { flags: 'a' }),
    )
}

/**
 * Puts what is in a zip archive below a folder. Links are left out, and what would go through a link of the folder.
 * @throws TooLargeArchive; Error for names that lead outside
 */
export async function unzip(archive: string, folder: string): Promise<void> {
  const { BlobReader, configure, ZipReader } = await import('@zip.js/zip.js')
  configure({ useWebWorkers: false })
  const root = await realpath(folder)
  const zip = new ZipReader(new BlobReader(await openAsBlob(archive)))
  let [files, bytes] = [0, 0]
  for await (const entry of zip.getEntriesGenerator()) {
    files += 1
    bytes += entry.uncompressedSize
    if (files > MOST_FILES || bytes > MOST_BYTES) throw new TooLargeArchive('too much is in the archive')
    if (entry.directory || isLink(entry.unixMode)) continue
    const target = join(root, entry.filename)
    const place = dirname(target)
    if (!isInside(root, target) || target === root) continue
    // A link of the clone may lead elsewhere.
    if (!isInside(root, await placeOf(place))) continue
    await mkdir(place, { recursive: true })
    await rm(target, { force: true })
    await entry.getData(Writable.toWeb(createWriteStream(target, { flags: 'wx' })))
    if (entry.unixMode !== undefined && (entry.unixMode & 0o111) !== 0) await chmod(target, 0o755)
  }
  await zip.close()
}

/** Where a folder is, or would be. */
async function placeOf(folder: string): Promise<string> {
  const found = await realpath(folder).catch(() => undefined)
  return found ?? join(await placeOf(dirname(folder)), basename(folder))
}

const isLink = (mode: number | undefined): boolean => mode !== undefined && (mode & 0o170000) === 0o120000
