import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { programEnvironment } from '../environment.ts'

/** The administrator's token on the servers that are killed. */
export const TOKEN = 'glpat-the-token-of-the-crash-tests'
const script = fileURLToPath(new URL('server.ts', import.meta.url))

/** Starts a server in a process of its own. @param more what its environment has besides */
export async function start(
  data: string,
  more: NodeJS.Dict<string> = {},
): Promise<{ child: ChildProcess; url: string }> {
  const own = { FORGELET_DATA: data, FORGELET_PORT: '0', FORGELET_ROOT_TOKEN: TOKEN }
  const child = spawn(process.execPath, [script], {
    env: { ...programEnvironment(), ...own, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`Forgelet ended with ${String(code)}`))),
  ])
  return { child, url: JSON.parse(String(line)).url }
}

/** Ends the server, its database and every git process that works below the data folder, all at once. */
export async function killEverything(child: ChildProcess, data: string): Promise<void> {
  const postmaster = await readFile(join(data, 'postgresql', 'postmaster.pid'), 'utf8').catch(() => '')
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  const pids = [...(await workingBelow(join(data, 'repositories'))), Number(postmaster.split('\n')[0])]
  for (const pid of pids.filter((pid) => pid > 1)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
  await exited
}

async function workingBelow(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) =>
      (await readlink(`/proc/${pid}/cwd`).catch(() => '')).startsWith(folder) ? [Number(pid)] : [],
    ),
  )
  return found.flat()
}
