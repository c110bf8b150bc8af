import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, expect, it } from 'vitest'
import { copyInChunks } from './chunks.ts'

const opened: { destroy(): void }[] = []
afterEach(() => {
  for (const one of opened.splice(0)) one.destroy()
})

/** Both ends of a connection. */
async function connection(): Promise<{ to: Socket; client: Socket }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const client = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1')
  client.on('error', () => {})
  const [to]: Socket[] = await once(server, 'connection')
  server.close()
  if (to === undefined) throw new Error('nothing came')
  to.on('error', () => {})
  opened.push(client, to)
  return { to, client }
}

it('copies each piece as a chunk', async () => {
  const { to, client } = await connection()
  const pieces: Buffer[] = []
  client.on('data', (piece: Buffer) => pieces.push(piece))
  await copyInChunks(Readable.from([Buffer.from('one'), Buffer.alloc(17, 'x')]), to)
  to.end()
  await once(client, 'end')
  expect(Buffer.concat(pieces).toString()).toBe(`3\r\none\r\n11\r\n${'x'.repeat(17)}\r\n`)
})

it('ends when the connection was closed before, or while the first piece is awaited', async () => {
  const { to } = await connection()
  to.destroy()
  await once(to, 'close')
  const never = new Readable({ read: () => {} })
  await copyInChunks(never, to)
  expect(never.destroyed).toBe(true)

  const { to: other } = await connection()
  const later = new Readable({ read: () => {} })
  const copied = copyInChunks(later, other)
  other.destroy()
  await copied
  expect(later.destroyed).toBe(true)
})

it('ends when the connection closes between two pieces, or while it is full', async () => {
  const { to } = await connection()
  const between = Readable.from(
    (async function* () {
      yield Buffer.from('one')
      to.destroy()
      yield Buffer.from('two')
      yield Buffer.from('three')
    })(),
  )
  await copyInChunks(between, to)
  expect(between.destroyed).toBe(true)

  const { to: full, client } = await connection()
  const endless = new Readable({ read: () => void endless.push(Buffer.alloc(65_536)) })
  const copied = copyInChunks(endless, full)
  client.pause()
  while (!full.writableNeedDrain) await new Promise((resolve) => setImmediate(resolve))
  client.resetAndDestroy()
  await copied
  expect(endless.destroyed).toBe(true)
})
