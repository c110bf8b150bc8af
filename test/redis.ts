import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Debian's redis-server; Valkey's works the same. */
const program = ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0)
export const redisInstalled = program !== undefined

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** A Redis for one test, which keeps nothing on disk, and can be killed and started again on its port. */
export async function redis(password = '') {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'forgelet-redis-'))
  let child: ChildProcess | undefined
  const kill = async (): Promise<void> => {
    if (child === undefined) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    child = undefined
    await ended
  }
  const start = async (): Promise<void> => {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder]
    const begun = spawn(
      program ?? '',
      [...options, ...(password === '' ? [] : ['--requirepass', password])],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    child = begun
    let said = ''
    for await (const text of begun.stdout) {
      said += String(text)
      if (said.includes('Ready to accept connections')) break
    }
    if (!said.includes('Ready to accept connections')) throw new Error(`Redis did not start: ${said}`)
    begun.stdout.resume()
  }
  onTestFinished(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  await start()
  return {
    url: `redis://${password === '' ? '' : `:${password}@`}127.0.0.1:${port}/0`,
    port,
    start,
    kill,
    /** It stops answering without closing anything. */
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
  }
}
