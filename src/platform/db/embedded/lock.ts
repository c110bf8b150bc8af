import { createHash } from 'node:crypto'
import { closeSync, lstatSync, openSync, statSync, unlinkSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { codeOf, DataFolderBusy } from './errors.ts'

export interface FolderLock {
  release(): Promise<void>
}

// sun_path holds 108 bytes on Linux and 104 on macOS.
const LONGEST_SOCKET_PATH = 100

/**
 * Makes this process the owner of a data folder until it releases the folder or dies. Two sockets hold the lock. The
 * abstract one (Linux) is taken atomically and vanishes with the process. It is named after device and inode, so a
 * bind mount is the same folder. The file also reaches Forgelets in other containers on the same volume.
 */
export async function lockFolder(dataDir: string): Promise<FolderLock> {
  const held: Server[] = []
  const release = async (): Promise<void> => {
    await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))))
  }
  try {
    if (process.platform === 'linux') held.push(await claim(`\0forgelet-${identity(dataDir)}`, dataDir))
    const file = await claimFile(dataDir)
    if (file !== undefined) held.push(file)
  } catch (error) {
    await release()
    throw error
  }
  return { release }
}

function identity(folder: string): string {
  const { dev, ino } = statSync(folder, { bigint: true })
  return createHash('sha256').update(`${dev}:${ino}`).digest('hex').slice(0, 32)
}

async function claimFile(dataDir: string): Promise<Server | undefined> {
  const path = join(dataDir, 'forgelet.lock')
  if (Buffer.byteLength(path) <= LONGEST_SOCKET_PATH) return claimOnDisk(path, dataDir)
  if (process.platform !== 'linux') return claim(`/tmp/forgelet-${identity(dataDir)}.lock`, dataDir)
  const folder = openSync(dataDir, 'r') // a short name for a deep folder
  try {
    return await claimOnDisk(`/proc/self/fd/${folder}/forgelet.lock`, dataDir)
  } finally {
    closeSync(folder)
  }
}

async function claimOnDisk(path: string, dataDir: string): Promise<Server | undefined> {
  try {
    return await claim(path, dataDir)
  } catch (error) {
    // Some shared folders cannot hold sockets. On Linux the abstract one has already decided.
    if (
      process.platform === 'linux' &&
      ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL'].includes(codeOf(error) ?? '')
    ) {
      return undefined
    }
    throw error
  }
}

/** How often an owner that is ending is asked again, and after how many milliseconds. */
const ATTEMPTS = 25
const PAUSE = 20

async function claim(path: string, dataDir: string): Promise<Server> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 1) await pause(PAUSE)
    try {
      return await listen(path)
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE') throw error
    }
    const seen = inode(path)
    const owner = await ask(path)
    if (owner.state === 'alive') throw busy(dataDir, owner.pid)
    // A killed process left this socket. Remove only the very file that did not answer.
    if (owner.state === 'dead' && seen !== undefined && inode(path) === seen) unlinkSync(path)
  }
  throw busy(dataDir, undefined)
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.end(String(process.pid), () => socket.destroy())
    })
    server.once('error', reject)
    // Everyone may ask who owns the folder. The answer is a process id and nothing else.
    server.listen(
      { path, exclusive: true, readableAll: !path.startsWith('\0'), writableAll: !path.startsWith('\0') },
      () => {
        server.unref()
        resolve(server)
      },
    )
  })
}

/** Who holds a socket. `ending` hung up without an answer: a process that is letting go, or a copy of it (see below). */
type Owner = { readonly state: 'alive'; readonly pid?: number } | { readonly state: 'ending' | 'dead' }

/**
 * Asks who holds a socket. A process that starts a program is copied first, sockets included, and the copy drops them
 * when the program begins. So a socket may outlive its owner for a moment, and then hangs up.
 */
function ask(path: string): Promise<Owner> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(path)
    const answered = (owner: Owner): void => {
      socket.destroy()
      resolve(owner)
    }
    socket.setTimeout(500, () => answered({ state: 'alive' })) // a stopped process still owns its folder
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')))
    socket.once('end', () => {
      const pid = Number(answer)
      answered(Number.isInteger(pid) && pid > 0 ? { state: 'alive', pid } : { state: 'ending' })
    })
    socket.once('error', (error) => answered(stateAfter(codeOf(error))))
  })
}

function stateAfter(code: string | undefined): Owner {
  if (code === 'ECONNREFUSED' || code === 'ENOENT') return { state: 'dead' }
  return { state: code === 'ECONNRESET' || code === 'EPIPE' ? 'ending' : 'alive' }
}

function inode(path: string): number | undefined {
  if (path.startsWith('\0')) return undefined
  return lstatSync(path, { throwIfNoEntry: false })?.ino
}

function busy(dataDir: string, pid: number | undefined): DataFolderBusy {
  const who = pid === undefined ? 'Another Forgelet' : `Another Forgelet (process ${pid})`
  return new DataFolderBusy(
    `${who} is using the data folder ${dataDir}. Stop it first, or give this one a folder of its own with FORGELET_DATA.`,
  )
}
