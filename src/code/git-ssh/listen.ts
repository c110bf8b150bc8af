import { once } from 'node:events'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { SlowReaders } from '#platform/http/slow-readers.ts'
import type { Pace } from '#platform/http/transport.ts'
import { countFailedAddress, countFailure } from './failures.ts'
import { registerSshMetrics, type SshMetrics } from './metrics.ts'
import { type SshPace, usualPace } from './pace.ts'
import { NoRequest, readRequest, type SshRequest } from './request.ts'
import { serveSession } from './serve.ts'
import { findKey } from './ssh-keys.ts'

type Services = FastifyInstance['services']

/** Sessions and questions at once. The doors let in fewer connections. */
const MOST = 2_048

/**
 * Answers the doors on a socket of this machine. Whoever can open it acts for any key, so nobody can but the account of the server.
 * @param path a socket that is there already is taken over
 */
export async function listenForDoors(
  services: Services,
  path: string,
  { reading, sending }: SshPace = usualPace,
): Promise<() => Promise<void>> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await rm(path, { force: true })
  const open = new Set<Socket>()
  const metrics = registerSshMetrics(services.metrics)
  const slow = new SlowReaders(reading, () => {})
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => {})
    slow.watch(socket)
    void answer({ services, metrics, sending }, socket)
  })
  server.maxConnections = MOST
  await listen(server, path)
  return async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of open) socket.destroy()
    await closed
    await rm(path, { force: true })
  }
}

async function listen(server: Server, path: string): Promise<void> {
  // Between its making and `chmod` nobody else may open it.
  const before = process.umask(0o177)
  try {
    server.listen(path)
    await once(server, 'listening')
  } finally {
    process.umask(before)
  }
  await chmod(path, 0o600)
}

interface Doorway {
  readonly services: Services
  readonly metrics: SshMetrics
  readonly sending: Pace
}

async function answer({ services, metrics, sending }: Doorway, socket: Socket): Promise<void> {
  try {
    const request = await readRequest(socket)
    if (request.do !== 'run') return void socket.end(await shortAnswer(services, metrics, request))
    metrics.count('session served')
    metrics.sessions.inc()
    try {
      await serveSession(services, request, socket, sending)
    } finally {
      metrics.sessions.dec()
    }
  } catch (error) {
    if (!(error instanceof NoRequest)) services.log.warn({ err: error }, 'a door of SSH was not answered')
    socket.destroy()
  }
}

async function shortAnswer(
  services: Services,
  metrics: SshMetrics,
  request: Exclude<SshRequest, { readonly do: 'run' }>,
): Promise<string> {
  const { fingerprint } = request
  const key = fingerprint === '' ? undefined : await findKey(services.db, { fingerprint })
  if (request.do === 'failed') {
    metrics.count('refused')
    if (key !== undefined) {
      await countFailure(services, key, request.ip)
      return ''
    }
    const seconds = await countFailedAddress(services, request.ip)
    return seconds === 0 ? '' : `refuse ${seconds}\n`
  }
  // A key that only signs is nobody's here, so that the client tries its next one.
  const isKnown = key !== undefined && key.usage !== 'signing'
  metrics.count(isKnown ? 'key found' : 'key unknown')
  if (!isKnown) return ''
  const [type = '', base64 = ''] = key.key.split(' ')
  return `${key.id} ${type} ${base64}\n`
}
