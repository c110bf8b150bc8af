import { readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** A file system in memory that everybody may write to, as most Linux systems have. */
const IN_MEMORY = '/dev/shm'
/** What a run of all tests may need at once, several times over. */
const PLENTY = 6 * 1024 ** 3

/**
 * Where tests keep what they throw away. They make and remove hundreds of thousands of files, mostly databases, and on a
 * disk that takes a third of their time. No test ends the machine, so no test needs a disk.
 *
 * @returns a folder in memory where there is plenty and programs in it may run, else the usual one.
 */
export function temporaryFolder(): string {
  return process.env['TMPDIR'] === undefined && isRoomy() ? IN_MEMORY : tmpdir()
}

function isRoomy(): boolean {
  try {
    const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n')
    const [, , kind, options = ''] = mounts.find((line) => line.split(' ')[1] === IN_MEMORY)?.split(' ') ?? []
    if (kind !== 'tmpfs' || /\bnoexec\b|\bro\b/.test(options)) return false
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    return Math.min(bavail * bsize, process.availableMemory()) >= PLENTY
  } catch {
    return false
  }
}
