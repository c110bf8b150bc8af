import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { transportApps } from '#test/transport-app.ts'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { cloneOf, projectWith, withGit } from './test-support.ts'

withGit()

const MiB = 1024 * 1024
const appWith = transportApps()

let found: Awaited<ReturnType<typeof projectWith>>
/** Git says who it is where it is asked to. */
let closed: typeof found
let want = ''
beforeAll(async () => {
  // More than the operating system takes from a server whose client reads nothing.
  found = await projectWith({ 'large.bin': randomBytes(24 * MiB) }, { visibility: 'public' })
  closed = await projectWith({ a: '1' }, { visibility: 'private' })
  const line = `want ${found.head} side-band-64k ofs-delta\n`
  want = `${(line.length + 4).toString(16).padStart(4, '0')}${line}00000009done\n`
})

const open: Socket[] = []
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy()
})

/** Sends a request, and reads nothing of the answer. */
async function ask(url: string, head: string, body = '', headers = ''): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).pause()
  socket.on('error', () => {})
  open.push(socket)
  await once(socket, 'connect')
  const length = body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`
  socket.write(`${head} HTTP/1.1\r\nHost: localhost\r\n${headers}${length}\r\n${body}`)
  return socket
}

const raw = () => `/api/v4/projects/${found.project.id}/repository/files/large.bin/raw`
const clone = (url: string, version = '') =>
  ask(
    url,
    `POST /${found.project.fullPath}.git/git-upload-pack`,
    want,
    `Content-Type: application/x-git-upload-pack-request\r\n${version}`,
  )

const transfers = () => {
  const usage = w.running.services.repositories.git.usage().find(({ lane }) => lane === 'transfer')
  return [usage?.running, usage?.waiting]
}

/** Waits until the server has closed a connection, and throws away what came. */
async function end(socket: Socket): Promise<void> {
  socket.resume()
  if (!socket.closed) await once(socket, 'close')
}

describe('a stranger who asks for much and reads nothing', () => {
  it.each<[what: string, ask: () => Promise<Socket>]>([
    ['files', () => ask(w.url, `GET ${raw()}`)],
    ['clones', () => clone(w.url)],
    // Every request claims to be somebody else's.
    ['files, with cookies', () => ask(w.url, `GET ${raw()}`, '', `Cookie: a=${Math.random()}\r\n`)],
    ['clones, with cookies', () => clone(w.url, `Cookie: a=${Math.random()}\r\n`)],
  ])('by 32 connections for %s keeps nobody else waiting', async (_, ask) => {
    await Promise.all(Array.from({ length: 32 }, ask))
    await until(() => expect(transfers()).toEqual([4, 28]))
    const { work, project } = found
    // Whoever asks for a public project need not say who they are, and is at the same address here.
    await work.run('ls-remote', '--quiet', `${w.url}/${project.fullPath}.git`)
    await work.run('-c', 'protocol.version=0', 'ls-remote', '--quiet', `${w.url}/${project.fullPath}.git`)
    await work.commit({ small: randomBytes(8).toString('hex') })
    await work.run('push', '--quiet', 'origin', 'HEAD:refs/heads/small')
    await cloneOf(closed.url)
    const archive = await fetch(
      `${w.url}/api/v4/projects/${project.id}/repository/archive.tar?path=small&sha=small`,
      { headers: { 'private-token': project.reporter.token } },
    )
    expect([archive.status, (await archive.arrayBuffer()).byteLength > 0]).toEqual([200, true])
    expect(transfers()).toEqual([4, 28])
    for (const socket of open.splice(0)) socket.destroy()
    await until(() => expect(transfers()).toEqual([0, 0]))
  })
})

describe('a client that reads too slowly', () => {
  let url = ''
  beforeAll(async () => {
    ;({ url } = await appWith({ reading: { wait: 3_000, unseen: 15_000, bytesPerSecond: 1_024, look: 100 } }))
  })

  it('is cut, whatever it asked for, and gives its place back', async () => {
    const id = found.project.id
    const sockets = await Promise.all([
      ask(url, `GET ${raw()}`),
      ask(url, `GET /api/v4/projects/${id}/repository/archive.zip`),
      ask(url, `GET /api/v4/projects/${id}/repository/archive.tar.gz`),
      ask(url, `GET /api/v4/projects/${id}/repository/files/large.bin?ref=main`),
      clone(url),
      clone(url, 'Git-Protocol: version=1\r\n'),
    ])
    await until(() => expect(transfers()).toEqual([4, 2]))
    await until(() => expect(transfers()).toEqual([0, 0]))
    await Promise.all(sockets.map(end))
    for (const { bytesRead } of sockets) expect(bytesRead).toBeLessThan(16 * MiB)
  })

  it('is not one that reads steadily, or waits for what the server has not made yet', async () => {
    const steady = [await ask(url, `GET ${raw()}`), await clone(url)]
    await until(() => expect(transfers()).toEqual([2, 0]))
    for (let passed = 0; passed < 4_500; passed += 50) {
      for (const socket of steady) socket.read()
      await pause(50)
    }
    expect(transfers()).toEqual([2, 0])
    for (const socket of steady) {
      socket.resume()
      await until(() => expect(socket.bytesRead).toBeGreaterThan(24 * MiB))
    }
    await until(() => expect(transfers()).toEqual([0, 0]))
    expect(steady.map(({ closed }) => closed)).toEqual([false, false])
  })
})

describe('an answer that git writes itself', () => {
  it('comes in chunks, after which the connection takes the next request', async () => {
    const socket = await clone(w.url)
    const pieces: Buffer[] = []
    socket.on('data', (piece: Buffer) => pieces.push(piece)).resume()
    await until(() =>
      expect(Buffer.concat(pieces.slice(-3)).toString('latin1')).toMatch(/0000\r\n0\r\n\r\n$/),
    )
    const received = Buffer.concat(pieces.splice(0))
    const head = received.toString('latin1', 0, received.indexOf('\r\n\r\n'))
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(head.toLowerCase()).toContain('transfer-encoding: chunked')
    expect(head.toLowerCase()).not.toContain('connection: close')
    expect(withoutChunks(received.subarray(head.length + 4)).includes('PACK')).toBe(true)
    socket.write('GET /-/liveness HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await until(() => expect(Buffer.concat(pieces).toString()).toContain('{"status":"ok"}'))
  })

  it('loses no request that comes while it is written', async () => {
    for (let count = 0; count < 5; count += 1) {
      const socket = await clone(w.url)
      await once(socket, 'readable')
      for (const part of ['GET /-/live', 'ness HTTP/1.1\r\nHost: ', 'localhost\r\n\r\n']) {
        socket.write(part)
        await pause(5)
      }
      let end = ''
      socket.on('data', (piece: Buffer) => (end = (end + piece.toString('latin1')).slice(-1_000)))
      await until(() => expect(end).toContain('{"status":"ok"}'))
      socket.destroy()
    }
  })

  it('comes after the answers to earlier requests on its connection', async () => {
    const { hostname, port } = new URL(w.url)
    const socket = connect(Number(port), hostname)
    open.push(socket)
    const pieces: Buffer[] = []
    socket.on('data', (piece: Buffer) => pieces.push(piece))
    socket.write(
      `GET ${raw()} HTTP/1.1\r\nHost: localhost\r\n\r\n` +
        `POST /${found.project.fullPath}.git/git-upload-pack HTTP/1.1\r\nHost: localhost\r\n` +
        `Content-Type: application/x-git-upload-pack-request\r\nContent-Length: ${want.length}\r\n\r\n${want}`,
    )
    await until(() => expect(pieces.at(-1)?.toString('latin1')).toMatch(/0\r\n\r\n$/))
    const received = Buffer.concat(pieces)
    expect(received.toString('latin1', 0, 15)).toBe('HTTP/1.1 200 OK')
    const second = received.indexOf('HTTP/1.1 200 OK', 15)
    expect(second).toBeGreaterThan(24 * MiB)
    const answer = received.subarray(received.indexOf('\r\n\r\n', second) + 4)
    expect(withoutChunks(answer).includes('PACK')).toBe(true)
  })

  it('ends with the connection for clients of HTTP/1.0', async () => {
    const { hostname, port } = new URL(w.url)
    const socket = connect(Number(port), hostname)
    const pieces: Buffer[] = []
    socket.on('data', (piece: Buffer) => pieces.push(piece))
    socket.write(
      `POST /${found.project.fullPath}.git/git-upload-pack HTTP/1.0\r\nHost: localhost\r\n` +
        `Content-Type: application/x-git-upload-pack-request\r\nContent-Length: ${want.length}\r\n\r\n${want}`,
    )
    await once(socket, 'close')
    const received = Buffer.concat(pieces)
    const head = received.toString('latin1', 0, received.indexOf('\r\n\r\n')).toLowerCase()
    expect(head).not.toContain('transfer-encoding')
    expect(head).toContain('connection: close')
    expect(received.subarray(-4).toString()).toBe('0000')
  })
})

/** What is in the chunks of an answer. @throws when they are not well formed */
function withoutChunks(bytes: Buffer): Buffer {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16)
    pieces.push(bytes.subarray(end + 2, end + 2 + size))
    expect(bytes.toString('latin1', end + 2 + size, end + 4 + size)).toBe('\r\n')
    at = end + 4 + size
  }
  return Buffer.concat(pieces)
}
