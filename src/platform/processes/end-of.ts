import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Exit } from './messages.ts'

/** Waits for the end of a process, and of what it wrote. */
export async function endOf(ended: Promise<Exit>, stdin: Socket, stdout: Socket | undefined): Promise<Exit> {
  try {
    const result = await ended
    // Not thrown away, although nobody may read it yet: whoever starts several processes comes to this one later.
    if (stdout !== undefined && !stdout.closed) await once(stdout, 'close').catch(() => {})
    return result
  } finally {
    stdin.destroy()
  }
}
