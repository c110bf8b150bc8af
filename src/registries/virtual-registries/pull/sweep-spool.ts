import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '#platform/context.ts'

/** Milliseconds after which a file that nobody writes to belongs to a process that died: transfers stall sooner. */
export const OLD = 60 * 60_000

/** Removes what processes that died have left of their downloads. Other processes may have the same folder. */
export async function sweepSpool(folder: string, log: Log): Promise<void> {
  try {
    for (const name of await readdir(folder)) {
      const path = join(folder, name)
      const { mtimeMs } = await stat(path)
      if (Date.now() - mtimeMs > OLD) await rm(path, { force: true })
    }
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (!isMissing) log.warn({ err: error }, 'left downloads are removed later')
  }
}
