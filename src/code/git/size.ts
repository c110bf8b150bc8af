import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repository } from './repository.ts'

/** Bytes of all objects on the disk. `git count-objects` would be one process more for each push. */
export async function sizeOf({ folder }: Pick<Repository, 'folder'>): Promise<number> {
  const objects = join(folder, 'objects')
  const folders = (await namesIn(objects)).filter((name) => /^(?:pack|[0-9a-f]{2})$/.test(name))
  const sizes = await Promise.all(folders.map((name) => sizeOfFiles(join(objects, name))))
  return sum(sizes)
}

async function sizeOfFiles(folder: string): Promise<number> {
  const names = await namesIn(folder)
  return sum(await Promise.all(names.map((name) => sizeOfFile(join(folder, name)))))
}

/** Housekeeping may remove a file meanwhile, or a whole folder. */
const sizeOfFile = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )
const namesIn = (path: string): Promise<string[]> => readdir(path).catch(() => [])

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
