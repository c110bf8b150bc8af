import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The path of a socket may have 104 to 108 bytes. */
const LONGEST_BASE = 70

/**
 * A new folder with a short path, which no other account may enter.
 * @throws when there is no place for one
 */
export async function shortFolder(): Promise<string> {
  const bases = [tmpdir(), '/tmp', '/run', '/dev/shm'].filter((one) => Buffer.byteLength(one) < LONGEST_BASE)
  for (const base of bases) {
    const folder = await mkdtemp(join(base, 'forgelet-starter-')).catch(() => undefined)
    if (folder !== undefined) return folder
  }
  throw new Error(`none of these folders can be written: ${bases.join(', ')}`)
}
