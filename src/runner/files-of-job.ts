import { execFile } from 'node:child_process'
import { glob, lstat, readdir } from 'node:fs/promises'
import { join, matchesGlob, sep } from 'node:path'
import { promisify } from 'node:util'
import { inside, isReallyInside } from './paths.ts'

/** Files of one archive. */
const MOST = 200_000

export interface Selection {
  readonly paths: readonly string[]
  readonly exclude?: readonly string[]
  /** Also what git does not know. */
  readonly untracked?: boolean
}

/** Files that a pattern found, and what became of patterns. */
export interface FoundFiles {
  /** Relative to the folder, sorted. Links among them are links. */
  readonly files: readonly string[]
  /** What the log should say. */
  readonly warnings: readonly string[]
}

/**
 * Finds the files of a folder that patterns name; of folders, everything in them. Nothing outside the folder is found, whatever
 * patterns and links say, and nothing of git's own.
 * @throws for more files than anybody sends
 */
export async function findFiles(folder: string, selection: Selection): Promise<FoundFiles> {
  const { paths, exclude = [], untracked = false } = selection
  const found = new Set<string>()
  const warnings: string[] = []
  const excluded = exclude.flatMap((pattern) => inside(folder, pattern) ?? [])
  const add = (path: string) => {
    if (isGits(path) || excluded.some((pattern) => matchesGlob(path, pattern))) return
    if (found.size >= MOST) throw new Error(`More than ${MOST} files`)
    found.add(path)
  }
  for (const pattern of paths) {
    const within = inside(folder, pattern)
    if (within === undefined) {
      warnings.push(`${pattern}: outside the folder of the project, left out`)
      continue
    }
    const before = found.size
    for await (const match of within === '.' ? ['.'] : glob(within, { cwd: folder })) {
      const path = inside(folder, match)
      if (path === undefined || !(await isReallyInside(folder, path))) continue
      for await (const file of filesAt(folder, path)) add(file)
    }
    if (found.size === before) warnings.push(`${pattern}: no files`)
  }
  if (untracked) for (const path of await untrackedIn(folder)) add(path)
  return { files: [...found].toSorted(), warnings }
}

const isGits = (path: string) => path === '.git' || path.startsWith(`.git${sep}`)

/** A file, or all files below a folder. Links are files here: nobody follows them. */
async function* filesAt(folder: string, path: string): AsyncGenerator<string> {
  const found = await lstat(join(folder, path)).catch(() => undefined)
  if (found === undefined || isGits(path)) return
  if (!found.isDirectory()) {
    if (found.isFile() || found.isSymbolicLink()) yield path
    return
  }
  for (const name of await readdir(join(folder, path))) yield* filesAt(folder, join(path, name))
}

const run = promisify(execFile)

async function untrackedIn(folder: string): Promise<string[]> {
  const { stdout } = await run('git', ['ls-files', '--others', '-z'], {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
    timeout: 60_000,
  })
  return stdout.split('\0').filter((path) => path !== '')
}
