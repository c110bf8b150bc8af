import { Socket } from 'node:net'
import type { Pool, PoolClient } from 'pg'

/** How often connections of some pools wait for PostgreSQL while `work` runs: for one statement, or for several at once. */
export async function roundTrips(pools: readonly Pool[], work: () => Promise<unknown>): Promise<number> {
  const watches = new Map<Socket, Disposable & { readonly trips: number }>()
  const onAcquire = (client: PoolClient) => {
    const socket = socketOf(client)
    if (!watches.has(socket)) watches.set(socket, watch(socket))
  }
  for (const pool of pools) pool.on('acquire', onAcquire)
  try {
    await work()
  } finally {
    for (const pool of pools) pool.off('acquire', onAcquire)
    for (const watched of watches.values()) watched[Symbol.dispose]()
  }
  return [...watches.values()].reduce((sum, { trips }) => sum + trips, 0)
}

function socketOf(client: PoolClient): Socket {
  const connection: unknown = Reflect.get(client, 'connection')
  const stream: unknown = typeof connection === 'object' && connection && Reflect.get(connection, 'stream')
  if (!(stream instanceof Socket)) throw new Error('The connection has no socket')
  return stream
}

function watch(socket: Socket) {
  const write = socket.write.bind(socket)
  let waiting = false
  let trips = 0
  const onData = () => void (waiting = false)
  socket.prependListener('data', onData)
  Object.assign(socket, {
    write(...chunk: Parameters<typeof write>) {
      if (!waiting) trips += 1
      waiting = true
      return write(...chunk)
    },
  })
  return {
    get trips() {
      return trips
    },
    [Symbol.dispose]() {
      socket.off('data', onData)
      Reflect.deleteProperty(socket, 'write')
    },
  }
}
