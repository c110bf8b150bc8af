import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, rmdirSync, lstatSync, statSync, unlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { codeOf, DataFolderBusy } from './errors.ts'
import type { Log } from './types.ts'

/** The prefix of every socket folder; it makes a stale one recognisable. */
export const SOCKET_FOLDER_PREFIX = 'forgelet-'

/**
 * Ends the remaining processes of a cluster that has no supervisor (a server whose Forgelet was killed, backends
 * whose postmaster was killed), then removes its pid file and socket folder. A pid alone proves nothing: another
 * process may have it by now. So only processes called postgres that run in this cluster's folder are signalled.
 */
export async function clearOrphans(cluster: string, log: Log): Promise<void> {
  const left = readPidFile(cluster)
  const running = serverProcesses(cluster)
  if (left !== undefined && running.includes(left.pid)) {
    log.warn(
      { postmaster: left.pid },
      'a PostgreSQL server without its Forgelet still runs on the data folder: stopping it',
    )
    send('SIGINT', [left.pid])
    if (!(await allGone(cluster, 5000))) {
      send('SIGQUIT', [left.pid])
      await allGone(cluster, 3000)
    }
  }
  // No postmaster is left. Its backends have nothing to finish: acknowledged data is in the log on disk.
  send('SIGKILL', serverProcesses(cluster))
  if (!(await allGone(cluster, 10_000))) {
    throw new DataFolderBusy(
      `PostgreSQL processes ${serverProcesses(cluster).join(', ')} on ${cluster} do not end, not even by SIGKILL. ` +
        'Look at the disk they wait for, or restart the machine.',
    )
  }
  if (left === undefined) return
  removeSocketFolder(left.socketFolder)
  // PostgreSQL would refuse to start if another process of the same user had the pid by now.
  unlink(join(cluster, 'postmaster.pid'))
}

/** The processes of a cluster's server: on Linux all of them, elsewhere the postmaster. */
export function serverProcesses(cluster: string): number[] {
  return process.platform === 'linux' ? fromProc(cluster) : fromPs(cluster)
}

/** Removes one of our socket folders and the sockets in it, and nothing else. */
export function removeSocketFolder(folder: string): void {
  if (!basename(folder).startsWith(SOCKET_FOLDER_PREFIX)) return
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return
  for (const name of readdirSync(folder)) if (name.startsWith('.s.PGSQL.')) unlink(join(folder, name))
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EACCES', 'EPERM'].includes(codeOf(error) ?? '')) throw error
  }
}

/** The content of the server's pid file; undefined when there is none. */
export function readPidFile(cluster: string): { pid: number; socketFolder: string } | undefined {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
    const pid = Number(lines[0])
    return { pid: Number.isInteger(pid) && pid > 1 ? pid : -1, socketFolder: lines[4] ?? '' }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

async function allGone(cluster: string, patience: number): Promise<boolean> {
  const deadline = Date.now() + patience
  while (serverProcesses(cluster).length > 0) {
    if (Date.now() > deadline) return false
    await delay(10) // they are not our children, so we get no event when they end
  }
  return true
}

function send(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL', pids: number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (codeOf(error) !== 'ESRCH') throw error
    }
  }
}

function fromProc(cluster: string): number[] {
  const home = statSync(cluster, { throwIfNoEntry: false })
  if (home === undefined) return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const cwd = statSync(`/proc/${pid}/cwd`)
        if (cwd.dev !== home.dev || cwd.ino !== home.ino) return false
        return /^postgres( \(deleted\))?$/.test(basename(readlinkSync(`/proc/${pid}/exe`)))
      } catch {
        return false // gone, a zombie, or another user's
      }
    })
    .map(Number)
}

function fromPs(cluster: string): number[] {
  const list = execFileSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' })
  return list
    .split('\n')
    .filter((line) => line.includes('postgres') && line.includes(`-D ${cluster} `))
    .map((line) => Number.parseInt(line, 10))
}

function unlink(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}
