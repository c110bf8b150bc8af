import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import type { GitProcess } from '#code/git/processes/git-process.ts'
import { isWrittenElsewhere } from '#platform/http/slow-readers.ts'

/** Whether the operating system tells how a process gets on that writes to a connection. */
export const tellsProgress = process.platform === 'linux'

/** Says that git writes to a connection itself, so that a client is noticed that hardly reads. @returns takes that back */
export const isWrittenByGit = (connection: Socket, git: GitProcess): (() => void) =>
  tellsProgress ? isWrittenElsewhere(connection, bytesWrittenBy(git)) : () => {}

/** How much a process has written, as far as it was known last: what it wrote may wait longer than it lives. */
function bytesWrittenBy({ pid }: GitProcess): () => Promise<number> {
  let known = 0
  return async () => {
    const text = await readFile(`/proc/${pid}/io`, 'utf8').catch(() => '')
    known = Math.max(known, Number(/^wchar: (\d+)$/m.exec(text)?.[1] ?? 0))
    return known
  }
}
