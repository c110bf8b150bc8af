import { randomBytes } from 'node:crypto'
import { type EventEmitter, once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { text } from 'node:stream/consumers'
import { Client as Database } from 'pg'
import ssh2, { type Client, type ClientChannel } from 'ssh2'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { until } from '#test/until.ts'
import { openWorld, type World } from '#test/world.ts'
import type { DoorLimits } from './door/settings.ts'
import { type RunningSsh, startSsh } from './start-ssh.ts'
import { SshClient } from './test-support.ts'

const MiB = 1024 * 1024

let own: World
let client: SshClient
let p: Awaited<ReturnType<World['project']>>
const doors: RunningSsh[] = []

beforeAll(async () => {
  own = await openWorld(undefined, undefined, { FORGELET_SSH_ADDRESS: '127.0.0.1:0' })
  client = await SshClient.open()
  p = await own.project()
  await client.addTo(p.developer)
  const work = await client.git.init(`${own.url}/${p.fullPath}.git`, 'work')
  await work.commit({ 'large.bin': randomBytes(96 * MiB) })
  const url = `${own.url.replace('://', `://oauth2:${p.maintainer.token}@`)}/${p.fullPath}.git`
  await work.run('push', '--quiet', url, 'HEAD:refs/heads/main')
  head = await work.id('HEAD')
})
let head = ''
afterAll(async () => {
  for (const door of doors) await door.close()
  await client[Symbol.asyncDispose]()
  await own.running.stop()
})

interface OpenDoor {
  readonly site: string
  readonly port: number
  /** Of its process. */
  readonly pid: number
}

async function door(limits: Partial<DoorLimits> = {}): Promise<OpenDoor> {
  const opened = await startSsh(own.running.services, limits)
  doors.push(opened)
  const { port, pid } = opened
  if (port === undefined || pid === undefined) throw new Error('there is no door')
  return { site: `ssh://git@127.0.0.1:${port}/`, port, pid }
}

/** Bytes of memory of a process. */
async function memoryOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]) * 1024
}

const open: { destroy(): unknown }[] = []
afterEach(() => {
  for (const one of open.splice(0)) one.destroy()
})

/** When something is closed, by an error or without one. */
async function closing(one: EventEmitter): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  one.once('close', () => resolve())
  return promise
}

/** Tells when something has happened, for loops that go on until then. */
function signalOf(happened: Promise<unknown>): AbortSignal {
  const signal = new AbortController()
  void happened.then(() => signal.abort())
  return signal.signal
}

/** Somebody with a key whose client is not a good one. */
async function guest({ port }: OpenDoor) {
  const hostile = new ssh2.Client()
  open.push(hostile)
  hostile.on('error', () => {})
  const closed = closing(hostile)
  hostile.connect({
    host: '127.0.0.1',
    port,
    username: 'git',
    privateKey: await readFile(client.keyFile),
  })
  await once(hostile, 'ready')
  const { _protocol: protocol, _sock: socket } = hostile
  return { hostile, protocol, socket, closed }
}

const sessionOf = (connection: Client, line: string): Promise<ClientChannel> =>
  new Promise((resolve, reject) => {
    connection.exec(line, (error, channel) => (error ? reject(error) : resolve(channel)))
  })

const greeting = () => `Welcome to Forgelet, @${p.developer.username}!\n`
const expectService = async ({ site }: OpenDoor) =>
  expect((await client.ssh(site, '-T')).out).toBe(greeting())

const command = () => `git-upload-pack '/${p.fullPath}.git'`
const packet = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`
const want = () => Buffer.from(`${packet(`want ${head} side-band-64k ofs-delta\n`)}0000${packet('done\n')}`)
const GIGABYTES = 0xffff_ffff
const USUAL_PACKET = 32_768

describe('a client with a key', () => {
  test.each([0, 1, 16])('that takes %i bytes in a packet is sent away, and nobody else', async (size) => {
    const at = await door()
    const { protocol, closed } = await guest(at)
    protocol.session(0, GIGABYTES, size)
    protocol.exec(0, command(), true)
    await closed
    await expectService(at)
  })

  test('that opens a window of gigabytes and reads nothing costs no memory', async () => {
    const at = await door()
    await expectService(at)
    const before = await memoryOf(at.pid)
    const { protocol, socket } = await guest(at)
    protocol.session(0, GIGABYTES, USUAL_PACKET)
    protocol.exec(0, command(), true)
    protocol.channelData(0, want())
    socket.pause()
    const running = () =>
      own.running.services.repositories.git.usage().find(({ lane }) => lane === 'transfer')?.running
    await until(() => expect(running()).toBe(1))
    // Long enough for git to write all of it.
    await pause(3_000)
    expect(running()).toBe(1)
    expect((await memoryOf(at.pid)) - before).toBeLessThan(32 * MiB)
    await expectService(at)
  })

  test.each([1, 32_000])(
    'that sends packets of %i bytes and does not wait for its window is sent away before it costs memory',
    async (size) => {
      const at = await door()
      const { protocol, socket, closed } = await guest(at)
      protocol.session(0, GIGABYTES, USUAL_PACKET)
      protocol.exec(0, command(), true)
      // Git reads nothing more of it once it writes what nobody reads.
      protocol.channelData(0, want())
      const before = await memoryOf(at.pid)
      const left = signalOf(closed)
      const piece = Buffer.alloc(size)
      socket.pause()
      for (let count = 0; count * (size + 50) < 128 * MiB && !left.aborted; count += 1) {
        protocol.channelData(0, piece)
        // In a closed socket nothing waits: without pauses the loop would never learn that the server has closed it.
        if (count % 1_000 === 0 || socket.writableLength > MiB) await pause(1)
      }
      socket.resume()
      await closed
      expect((await memoryOf(at.pid)) - before).toBeLessThan(128 * MiB)
      await expectService(at)
    },
  )

  test('that fills the window of its session, again as it is opened anew, stays', async () => {
    const at = await door()
    const database = new Database({ connectionString: own.environment['FORGELET_DATABASE_URL'] })
    await database.connect()
    onTestFinished(() => database.end())
    const { hostile } = await guest(at)
    // The server does not begin to read.
    await database.query('begin; lock table ssh_keys')
    const session = await sessionOf(hostile, `git-receive-pack '/${p.fullPath}.git'`)
    session.on('error', () => {})
    session.write(Buffer.alloc(8 * MiB))
    await until(() => expect(session.outgoing.window).toBe(0))
    await database.query('commit')
    const other = await sessionOf(hostile, 'true')
    expect(await text(other.stderr)).toContain('this server runs no shell')
  })

  test('that reads no answer to what it asks for is sent away', async () => {
    const at = await door()
    const { protocol, socket } = await guest(at)
    const before = await memoryOf(at.pid)
    socket.pause()
    protocol.session(0, GIGABYTES, USUAL_PACKET)
    const gone = closing(socket)
    const left = signalOf(gone)
    socket.on('error', () => {})
    for (let count = 0; count < 1_000_000 && !left.aborted; count += 1) {
      protocol.env(0, 'A', 'b', true)
      if (count % 1_000 === 0) await pause(1)
    }
    socket.resume()
    await gone
    expect((await memoryOf(at.pid)) - before).toBeLessThan(96 * MiB)
    await expectService(at)
  })

  test('that opens and closes sessions without end is served, as are others', async () => {
    const at = await door()
    const { protocol, closed } = await guest(at)
    for (let count = 0; count < 2_000; count += 1) {
      protocol.session(count, GIGABYTES, USUAL_PACKET)
      // The server numbers its sides of them in turn.
      protocol.channelClose(count)
      if (count % 100 === 0) await expectService(at)
    }
    await Promise.race([closed, pause(100)])
    await expectService(at)
  })

  test('that names channels which are not there is sent away, and nobody else', async () => {
    const at = await door()
    const { protocol } = await guest(at)
    protocol.channelData(4_000_000_000, Buffer.from('x'))
    protocol.channelClose(7)
    await expectService(at)
  })

  test('whose session runs nothing is sent away after its time', async () => {
    const at = await door({ idle: 500 })
    const { protocol, closed } = await guest(at)
    protocol.session(0, GIGABYTES, USUAL_PACKET)
    await closed
    await expectService(at)
  })

  test('that makes new keys for its connection without end does not keep others waiting', async () => {
    const at = await door()
    const { protocol, closed } = await guest(at)
    const left = signalOf(closed)
    for (let count = 0; count < 200 && !left.aborted; count += 1) {
      protocol.rekey()
      await pause(2)
      if (count % 50 === 0) await expectService(at)
    }
    await expectService(at)
  })
})

describe('a stranger', () => {
  const stranger = ({ port }: OpenDoor): Socket => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.resume()
    open.push(socket)
    return socket
  }

  test('who sends a byte at a time is sent away after their time', async () => {
    const at = await door({ patience: 1_000 })
    const slow = Array.from({ length: 10 }, () => stranger(at))
    const sending = setInterval(() => {
      for (const socket of slow) if (socket.writable) socket.write('S')
    }, 100)
    await expectService(at)
    await until(() => expect(slow.every(({ closed }) => closed)).toBe(true))
    clearInterval(sending)
    await expectService(at)
  })

  test('who asks about a key again and again is sent away', async () => {
    const at = await door()
    const asking = new ssh2.Client()
    open.push(asking)
    asking.on('error', () => {})
    const closed = closing(asking)
    const privateKey = await readFile(client.keyFile)
    const key = ssh2.utils.parseKey(privateKey)
    if (key instanceof Error) throw key
    asking.connect({ host: '127.0.0.1', port: at.port, username: 'git', privateKey, authHandler: [] })
    await once(asking, 'handshake')
    const { _protocol: protocol } = asking
    const left = signalOf(closed)
    let asked = 0
    for (; asked < 1_000 && !left.aborted; asked += 1) {
      protocol.authPK('git', key, 'ssh-ed25519')
      await pause(5)
    }
    await closed
    expect(asked).toBeLessThan(200)
    await expectService(at)
  })
})
