import type { Socket } from 'node:net'

/** The first line of an answer: the exit code of the session, and the bytes of what follows for its standard error. */
const headOf = (code: number, message: string): Buffer => {
  const text = Buffer.from(message)
  return Buffer.concat([Buffer.from(`${code} ${text.length}\n`), text])
}

/** One line that a terminal shows as it is. */
// oxlint-disable-next-line no-control-regex
const printable = (text: string): string => text.replace(/[\0-\x1f\x7f-\x9f]+/g, ' ').slice(0, 1_000)

/** What a person reads in their terminal. */
export const remark = (text: string): string => `Forgelet: ${printable(text)}\n`

/** The answer to one session. After its head, everything up to the end is for the standard output. */
export class Answer {
  readonly #socket: Socket
  #hasBegun = false

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Whether the head is sent, so that no refusal can be told any more. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** Sends the head, and waits until it is out: a process may write what follows. @throws when nobody reads it */
  async begin(message = ''): Promise<Socket> {
    this.#hasBegun = true
    await new Promise<void>((resolve, reject) => {
      this.#socket.write(headOf(0, message), (error) => (error ? reject(error) : resolve()))
    })
    return this.#socket
  }

  end(text: string | Buffer = ''): void {
    this.#socket.end(text)
  }

  /** A whole answer of texts for people. */
  tell(code: number, message: string, output = ''): void {
    this.#hasBegun = true
    this.#socket.end(Buffer.concat([headOf(code, message), Buffer.from(output)]))
  }
}
