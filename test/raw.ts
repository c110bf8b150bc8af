import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A connection on which a test writes the bytes that it wants. */
export class RawConnection {
  readonly socket: Socket
  #received = ''

  private constructor(socket: Socket) {
    this.socket = socket
    socket.setEncoding('utf8').on('data', (text: string) => void (this.#received += text))
    // Being closed is what many of these tests wait for.
    socket.on('error', () => {})
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    return new RawConnection(socket)
  }

  /** Everything that came so far. */
  get received(): string {
    return this.#received
  }

  write(text: string | Buffer): void {
    this.socket.write(text)
  }

  /** The head of a request, with a host. */
  head(line: string, headers: Readonly<Record<string, string | number>> = {}): void {
    const all = Object.entries({ host: 'localhost', ...headers })
    this.write(`${line} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
  }

  /** The status of the last answer, once it has come: whatever the connection does afterwards. */
  async status(): Promise<number> {
    for (;;) {
      const statuses = [...this.#received.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) =>
        Number(status),
      )
      const last = statuses.findLast((status) => status !== 100)
      if (last !== undefined) return last
      if (this.socket.closed) return 0
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'close')])
    }
  }

  /** Waits until the server has closed the connection. */
  async closed(): Promise<void> {
    if (!this.socket.closed) await once(this.socket, 'close')
  }

  end(): void {
    this.socket.destroy()
  }
}
