// The process that starts other processes for the program: see starter.ts. It imports nothing of the program, so that
// it stays small. Its argument is the path of the socket on which it waits for connections.
import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createServer, Socket } from 'node:net'
import { dirname } from 'node:path'
import { copyInChunks } from './chunks.ts'
import { killGroup } from './kill-group.ts'
import { headerOf, isOrder, KEPT, type Order, type Report } from './messages.ts'

type StartOrder = Extract<Order, { readonly order: 'start' }>

interface RunningProcess {
  readonly child: ChildProcess
  /** The connection to which this process copies what the other one writes. */
  readonly copiesTo: Socket | undefined
}

const path = process.argv[2] ?? ''
/** Connections whose order has not come yet, by their header. */
const connections = new Map<string, Socket>()
/** Orders whose connections have not all come yet. */
const waiting = new Map<number, { readonly order: StartOrder; readonly output: Socket | undefined }>()
const running = new Map<number, RunningProcess>()
/** The order that came last. They come in their order, so what comes for an earlier one may come too late. */
let lastOrder = 0

const tell = (report: Report): void => {
  // An error means that the program has ended, and nobody hears this.
  if (process.connected) process.send?.(report, undefined, {}, () => {})
}

process.on('message', (message: unknown, handle: unknown) => {
  if (!isOrder(message)) return
  if (message.order === 'kill') return kill(message.id)
  const output = handle instanceof Socket ? handle.pause() : undefined
  if (output !== undefined) stopReading(output)
  output?.on('error', () => {})
  lastOrder = message.id
  waiting.set(message.id, { order: message, output })
  startIfComplete(message.id)
})

// Processes must not outlive the program, however it ended.
process.on('disconnect', () => {
  for (const id of running.keys()) kill(id)
  rmSync(dirname(path), { recursive: true, force: true })
  process.exit()
})
// These signals go to all processes of a service. The program decides when it needs no more processes.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})

createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => {})
  // Nothing follows the header before the process has started.
  socket.once('data', (bytes: Buffer) => {
    const header = bytes.toString('latin1')
    const id = Number.parseInt(header, 10)
    if (id <= lastOrder && !waiting.has(id)) return socket.destroy()
    connections.set(header, socket.pause())
    startIfComplete(id)
  })
}).listen(path, () => tell({ report: 'ready' }))

function startIfComplete(id: number): void {
  const found = waiting.get(id)
  if (found === undefined) return
  const { order, output: own } = found
  const input = connections.get(headerOf(id, 'in'))
  const output = order.ownOutput === undefined ? connections.get(headerOf(id, 'out')) : own
  if (input === undefined) return
  if (order.ownOutput !== undefined && output === undefined) return fail(id, 'its output is closed')
  if (output === undefined) return
  try {
    start(order, input, output)
  } catch (error) {
    fail(id, String(error))
  }
  forget(id)
}

function start(order: StartOrder, input: Socket, output: Socket): void {
  const { id, program, args, cwd, env, ownOutput } = order
  const copiesTo = ownOutput === 'chunked' ? output : undefined
  const stdout = copiesTo === undefined ? output : 'pipe'
  const child = spawn(program, args, { cwd, env, stdio: [input, stdout, 'pipe'], detached: true })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-KEPT)
  })
  if (child.pid === undefined) {
    child.once('error', (error) => fail(id, String(error)))
    return
  }
  child.on('error', () => {})
  running.set(id, { child, copiesTo })
  const copied = copiesTo && child.stdout ? copyInChunks(child.stdout, copiesTo) : undefined
  tell({ report: 'started', id, pid: child.pid })
  child.once('close', (code) => {
    const end = (): void => {
      copiesTo?.destroy()
      running.delete(id)
      tell({ report: 'ended', id, code, stderr })
    }
    if (copied === undefined) end()
    else void copied.finally(end)
  })
}

/**
 * Leaves what a client sends to the program, which has the same connection. A connection that comes with an order begins
 * to read by itself, and pausing it does not stop that before the first bytes have come.
 */
function stopReading(socket: Socket): void {
  const handle: unknown = Reflect.get(socket, '_handle')
  if (typeof handle !== 'object' || handle === null || !('readStop' in handle)) return
  if (typeof handle.readStop === 'function') handle.readStop()
}

/** Closes what this process has of the streams of another one, and needs no more. */
function forget(id: number): void {
  if (running.get(id)?.copiesTo === undefined) waiting.get(id)?.output?.destroy()
  waiting.delete(id)
  for (const header of [headerOf(id, 'in'), headerOf(id, 'out')]) {
    connections.get(header)?.destroy()
    connections.delete(header)
  }
}

function fail(id: number, error: string): void {
  forget(id)
  tell({ report: 'failed', id, error })
}

/** Ends a process with all that it started, which is in its process group. */
function kill(id: number): void {
  if (waiting.has(id)) return fail(id, 'it is no longer wanted')
  const { child, copiesTo } = running.get(id) ?? {}
  // Nobody may read what is still to be copied.
  copiesTo?.destroy()
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  killGroup(child.pid)
}
