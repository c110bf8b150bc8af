import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { noSshd, Sshd } from '#test/sshd.ts'
import { until } from '#test/until.ts'
import { openWorld, type World } from '#test/world.ts'
import { listenForDoors } from './listen.ts'
import type { SshPace } from './pace.ts'
import { type RunningSsh, startSsh } from './start-ssh.ts'
import { SshClient } from './test-support.ts'

const MiB = 1024 * 1024
/** Small ones, for clients that come from this machine. */
const pace: SshPace = {
  reading: { wait: 1_500, unseen: 2_500, bytesPerSecond: 64 * 1024, look: 250 },
  sending: { idle: 2_500, wait: 2_500, bytesPerSecond: 64 * 1024 },
}

let own: World
let client: SshClient
let folder: string
let door: RunningSsh
let sshd: Sshd | undefined
let stop: (() => Promise<void>) | undefined
let p: Awaited<ReturnType<World['project']>>
let head: string
const sites: Record<string, string> = {}

beforeAll(async () => {
  own = await openWorld(undefined, undefined, { FORGELET_SSH_ADDRESS: '127.0.0.1:0' })
  client = await SshClient.open()
  p = await own.project()
  await client.addTo(p.developer)
  door = await startSsh(own.running.services, {}, pace)
  sites['the own door'] = `ssh://git@127.0.0.1:${door.port}/`
  folder = await mkdtemp(join(tmpdir(), 'forgelet-ssh-'))
  if (noSshd() === undefined) {
    const socket = join(folder, 'socket')
    stop = await listenForDoors(own.running.services, socket, pace)
    sshd = await Sshd.open(socket)
    sites['OpenSSH'] = sshd.site
  }
  const work = await client.git.init(`${own.url}/${p.fullPath}.git`, 'work')
  // More than all the buffers on the way take.
  head = await work.commit({ 'large.bin': randomBytes(48 * MiB) })
  const url = `${own.url.replace('://', `://oauth2:${p.maintainer.token}@`)}/${p.fullPath}.git`
  await work.run('push', '--quiet', url, 'HEAD:refs/heads/main')
})
afterAll(async () => {
  await sshd?.[Symbol.asyncDispose]()
  await stop?.()
  await door.close()
  await client[Symbol.asyncDispose]()
  await own.running.stop()
  await rm(folder, { recursive: true, force: true })
})

const running: ChildProcessWithoutNullStreams[] = []
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})

/** Runs a command of git by the real client. Nobody reads what it writes yet. */
function session(name: string, service: string) {
  const { hostname, port, username } = new URL(sites[name] ?? '')
  const command = `${service} '/${p.fullPath}.git'`
  const child = spawn('ssh', [...client.options, '-p', port, `${username}@${hostname}`, command])
  child.stdin.on('error', () => {})
  let err = ''
  child.stderr.on('data', (text: Buffer) => (err += text.toString()))
  running.push(child)
  return { child, said: () => err, closed: once(child, 'close') }
}

const packet = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`
const want = () => `${packet(`want ${head} side-band-64k ofs-delta\n`)}0000${packet('done\n')}`

const transfers = () => {
  const usage = own.running.services.repositories.git.usage().find(({ lane }) => lane === 'transfer')
  return usage?.running
}

const clone = (name: string) => {
  const { child } = session(name, 'git-upload-pack')
  child.stdin.write(want())
  return child
}

/** What is asked for from a whole repository, as `git archive --remote` does. */
const archive = (name: string) => {
  const { child } = session(name, 'git-upload-archive')
  child.stdin.write(`${packet('argument --format=tar')}${packet('argument main')}0000`)
  return child
}

describe.each(['the own door', ...(noSshd() === undefined ? ['OpenSSH'] : [])])('%s', (name) => {
  test.each([
    ['clones', clone],
    ['asks for an archive', archive],
  ])('cuts who %s and reads nothing', async (_, begin) => {
    const child = begin(name)
    await until(() => expect(transfers()).toBe(1))
    await until(() => expect(transfers()).toBe(0))
    let size = 0
    child.stdout.on('data', (piece: Buffer) => (size += piece.length))
    await once(child, 'close')
    expect(size).toBeLessThan(48 * MiB)
  })

  test('cuts who has stopped altogether', async () => {
    const child = clone(name)
    await once(child.stdout, 'readable')
    child.kill('SIGSTOP')
    expect(transfers()).toBe(1)
    await until(() => expect(transfers()).toBe(0))
  })

  test('cuts who reads a few bytes a second', async () => {
    const child = clone(name)
    await until(() => expect(transfers()).toBe(1))
    const reading = setInterval(() => child.stdout.read(10), 100)
    await until(() => expect(transfers()).toBe(0))
    clearInterval(reading)
  })

  test('leaves who reads steadily', async () => {
    const child = clone(name)
    await until(() => expect(transfers()).toBe(1))
    const closed = once(child, 'close')
    let end = Buffer.alloc(0)
    for await (const piece of child.stdout) {
      end = Buffer.concat([end, Buffer.from(piece)]).subarray(-4)
      await pause(5)
    }
    const [code] = await closed
    expect([code, end.toString()]).toEqual([0, '0000'])
  })

  test('cuts who asks for nothing, and gives the place back', async () => {
    const { child, closed } = session(name, 'git-upload-pack')
    await until(() => expect(transfers()).toBe(1))
    await until(() => expect(transfers()).toBe(0))
    child.stdout.resume()
    await closed
  })

  test('refuses a push whose pack comes too slowly', async () => {
    const { child } = session(name, 'git-receive-pack')
    await once(child.stdout, 'readable')
    let out = ''
    child.stdout.on('data', (piece: Buffer) => (out += piece.toString('latin1')))
    const change = `${'0'.repeat(40)} ${head} refs/heads/slow\0 report-status side-band-64k`
    child.stdin.write(`${packet(change)}0000`)
    child.stdin.write(Buffer.from('5041434b0000000200000003', 'hex'))
    const sending = setInterval(() => child.stdin.write('x'), 200)
    await until(() => expect(out).toContain('sends too slowly'))
    clearInterval(sending)
    expect(transfers()).toBe(0)
  })

  test('leaves nobody connected who was refused', async () => {
    const { child, said, closed } = session(name, 'git-receive-pack')
    child.stdout.resume()
    await closed
    expect(said()).not.toContain('failed')
  })
})
