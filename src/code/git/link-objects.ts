import { constants } from 'node:fs'
import { copyFile, link, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { meaningOfDiskError } from './errors.ts'
import type { Repository } from './repository.ts'

/** Housekeeping may move objects while they are looked at. */
const TRIES = 5

/**
 * Gives another repository the objects of this one, as further names of the same files: it takes no room, and neither
 * repository depends on the other. On another disk they are copied.
 * @param into a folder for objects, such as that of a quarantine
 */
export async function linkObjects({ folder }: Repository, into: string): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      await linkOnce(join(folder, 'objects'), into)
      return
    } catch (error) {
      if (tried === TRIES || !hasCode(error, 'ENOENT')) throw meaningOfDiskError(error)
    }
  }
}

/** Loose objects come first: what is packed meanwhile is in a pack then. */
async function linkOnce(from: string, to: string): Promise<void> {
  const folders = (await readdir(from)).filter((name) => /^[0-9a-f]{2}$/.test(name))
  for (const folder of folders) {
    const names = (await readdir(join(from, folder))).filter((name) => /^[0-9a-f]{38}$/.test(name))
    if (names.length > 0) await linkAll(names, join(from, folder), join(to, folder))
  }
  const files = await readdir(join(from, 'pack'))
  // A pack with times holds what nothing refers to.
  const unused = new Set(files.flatMap((name) => (name.endsWith('.mtimes') ? name.slice(0, -7) : [])))
  const packs = files.filter((name) => {
    const [, pack, end] = /^(pack-[0-9a-f]{40})\.(pack|rev|idx)$/.exec(name) ?? []
    return pack !== undefined && end !== undefined && !unused.has(pack)
  })
  // Git uses a pack once its index is there.
  const isIndex = (name: string) => Number(name.endsWith('.idx'))
  await linkAll(
    packs.toSorted((a, b) => isIndex(a) - isIndex(b)),
    join(from, 'pack'),
    join(to, 'pack'),
  )
}

async function linkAll(names: readonly string[], from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const name of names) {
    try {
      await link(join(from, name), join(to, name))
    } catch (error) {
      if (hasCode(error, 'EEXIST')) continue
      if (!hasCode(error, 'EXDEV') && !hasCode(error, 'EPERM') && !hasCode(error, 'EMLINK')) throw error
      await copyFile(join(from, name), join(to, name), constants.COPYFILE_FICLONE)
    }
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
