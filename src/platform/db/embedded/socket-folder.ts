import { chmod, chown, lstat, mkdir, mkdtemp, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canEnter, type Account } from './account.ts'
import { codeOf, EmbeddedUnavailable } from './errors.ts'
import { SOCKET_FOLDER_PREFIX } from './processes.ts'

/** With `/.s.PGSQL.5432.lock` appended, well below the 104 to 108 bytes that a socket path may have. */
const LONGEST_FOLDER = 70

/** Makes a short folder for the server's socket. Only the server's account may enter it. */
export async function makeSocketFolder(account: Account, dataDir: string): Promise<string> {
  for (const base of new Set([tmpdir(), '/tmp', '/run', '/dev/shm', dataDir])) {
    if (Buffer.byteLength(join(base, `${SOCKET_FOLDER_PREFIX}XXXXXX`)) > LONGEST_FOLDER) continue
    const folder = await mkdtemp(join(base, SOCKET_FOLDER_PREFIX)).catch(() => undefined)
    if (folder === undefined) continue
    await claimFolder(folder, account)
    if (await canEnter(account, folder)) return folder
    await rmdir(folder)
  }
  throw new EmbeddedUnavailable(
    'No folder for the socket of PostgreSQL: neither TMPDIR nor /tmp, /run or /dev/shm can be written and is short enough.',
  )
}

/** Makes the folder again if it was deleted. Never takes over what another account put in its place. */
export async function restoreSocketFolder(folder: string, account: Account): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 })
    await claimFolder(folder, account)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    const found = await lstat(folder)
    if (found.isDirectory() && found.uid === (account.owner?.uid ?? process.geteuid?.())) return
    throw new EmbeddedUnavailable(`${folder} belongs to somebody else now. Remove it, or restart Forgelet.`)
  }
}

/** Gives a folder to the account and closes it to everyone else. */
export async function claimFolder(folder: string, account: Account): Promise<void> {
  await chmod(folder, 0o700)
  if (account.owner !== undefined) await chown(folder, account.owner.uid, account.owner.gid)
}
