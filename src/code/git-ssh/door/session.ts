import type { Socket } from 'node:net'
import { ReadingMeter } from '#platform/http/reading-meter.ts'
import type { ReadingPace } from '#platform/http/transport.ts'
import type { ServerChannel } from 'ssh2'
import { ask } from './ask.ts'

/** The most bytes of the first line of an answer with the texts that follow it. */
const MOST = 65_536

export interface SessionOptions {
  readonly path: string
  readonly key: string
  readonly ip: string
  readonly command: string
  /** The variable `GIT_PROTOCOL` of the client. */
  readonly protocol: string | undefined
  /** The connection of the client, which all its sessions share. */
  readonly connection: Socket
  readonly reading: ReadingPace
  /** Called once the server has nothing more to do with the session. */
  readonly onEnd: () => void
}

/** Joins a session to the server: what the client sends, and what is answered, without looking at any of it. */
export function joinSession(channel: ServerChannel, options: SessionOptions): void {
  const { path, key, ip, command, protocol, connection, reading, onEnd } = options
  const socket = ask(path, { do: 'run', key, ip, command, ...(protocol !== undefined && { protocol }) })
  let isOver = false
  const finish = (code: number) => {
    if (isOver) return
    isOver = true
    // After everything that was written before.
    channel.write('', () => {
      channel.exit(code)
      channel.end()
    })
  }
  socket.on('error', () => {
    if (!isOver) channel.stderr.write('Forgelet: the server cannot be reached. Try again later.\n')
    finish(1)
  })
  socket.once('close', onEnd)
  channel.on('error', () => socket.destroy())
  channel.on('close', () => socket.destroy())
  channel.pipe(socket)
  readHead(socket, (code, message, rest) => {
    if (message.length > 0) channel.stderr.write(message)
    if (rest.length > 0) channel.write(rest)
    relay(socket, channel, connection, reading)
    socket.on('end', () => finish(code))
    socket.on('close', () => finish(code === 0 ? 1 : code))
  })
}

/**
 * Passes on what the server sends, as soon as the client takes it. `ssh2` waits for the window of a channel alone, and would keep in memory what the
 * connection does not take. Clients that hardly read the connection are cut elsewhere; one that leaves the window closed loses its session.
 */
function relay(from: Socket, channel: ServerChannel, connection: Socket, reading: ReadingPace): void {
  let passed = 0
  const isFull = () => channel.writableLength > 0 || connection.writableNeedDrain
  const goOn = () => {
    if (!isFull()) from.resume()
  }
  from.on('data', (piece: Buffer) => {
    passed += piece.length
    channel.write(piece, goOn)
    if (isFull()) from.pause()
  })
  connection.on('drain', goOn)
  let meter: ReadingMeter | undefined
  const timer = setInterval(() => {
    meter = channel.writableLength === 0 ? undefined : (meter ?? new ReadingMeter(reading.bytesPerSecond))
    if (meter?.isTooSlow(passed - channel.writableLength, reading.unseen) !== true) return
    channel.close()
    from.destroy()
  }, reading.look)
  from.once('close', () => {
    clearInterval(timer)
    connection.off('drain', goOn)
  })
  from.resume()
}

/** Reads `<exit code> <bytes>\n`, and that many bytes for the standard error. */
function readHead(socket: Socket, then: (code: number, message: Buffer, rest: Buffer) => void): void {
  let bytes: Buffer = Buffer.alloc(0)
  const onData = (piece: Buffer) => {
    bytes = Buffer.concat([bytes, piece])
    const end = bytes.indexOf('\n')
    const [, code, length] =
      end < 0 ? [] : (/^(\d{1,3}) (\d{1,5})$/.exec(bytes.toString('latin1', 0, end)) ?? [])
    if (end < 0 ? bytes.length > MOST : code === undefined) {
      socket.destroy(new Error('the answer has no head'))
      return
    }
    const begin = end + 1
    const until = begin + Number(length)
    if (end < 0 || bytes.length < until) return
    socket.pause()
    socket.off('data', onData).off('end', onEnd)
    then(Number(code), bytes.subarray(begin, until), bytes.subarray(until))
  }
  const onEnd = () => socket.destroy(new Error('the server gave no answer'))
  socket.on('data', onData).on('end', onEnd)
}
