import { once as event } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

/** Values that JSON has. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value }
/** What came of making something. */
export type Made = { readonly value: Value } | { readonly error: string }
/** What somebody is told who asked for something: what there is, or to make it. */
export type Answer = Made | { readonly make: true }

/** Something that was asked for. */
interface Place {
  made: Made | undefined
  maker: Socket | undefined
  waiting: Socket[]
}

/** Keeps what a run makes once, in the process that starts the workers. They reach it with `once.ts`. */
export class Shelf {
  readonly #makers: Readonly<Record<string, () => Promise<Value>>>
  readonly #places = new Map<string, Place>()
  readonly #server = createServer((socket) => this.#serve(socket))

  /** @param makers make in this process what has to live as long as the run. */
  constructor(makers: Readonly<Record<string, () => Promise<Value>>>) {
    this.#makers = makers
  }

  /** @returns the port of this machine at which workers ask. */
  async open(): Promise<number> {
    this.#server.listen(0, '127.0.0.1')
    await event(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  close(): void {
    this.#server.close()
  }

  #serve(socket: Socket): void {
    socket.on('error', () => socket.destroy()) // a worker that was killed
    let place: Place | undefined
    createInterface({ input: socket }).on('line', (line) => {
      const said = JSON.parse(line) as { readonly name: string } | Made
      if ('name' in said) place = this.#ask(said.name, socket)
      else if (place?.maker === socket) settle(place, said)
    })
    socket.on('close', () => {
      if (place !== undefined) leave(place, socket)
    })
  }

  /** Begins to make what this process makes, for somebody who will ask soon. */
  prepare(name: string): void {
    this.#placeOf(name)
  }

  #placeOf(name: string): Place {
    const known = this.#places.get(name)
    if (known !== undefined) return known
    const place: Place = { made: undefined, maker: undefined, waiting: [] }
    this.#places.set(name, place)
    const make = this.#makers[name]
    if (make !== undefined) void makeHere(place, make)
    return place
  }

  #ask(name: string, socket: Socket): Place {
    const place = this.#placeOf(name)
    if (place.made !== undefined) tell(socket, place.made)
    else if (this.#makers[name] === undefined && place.maker === undefined) appoint(place, socket)
    else place.waiting.push(socket)
    return place
  }
}

async function makeHere(place: Place, make: () => Promise<Value>): Promise<void> {
  settle(
    place,
    await make().then(
      (value) => ({ value }),
      (error: unknown) => ({ error: String(error instanceof Error ? error.stack : error) }),
    ),
  )
}

function settle(place: Place, made: Made): void {
  place.made = made
  for (const socket of place.waiting.splice(0)) tell(socket, made)
}

/** Somebody hangs up: who made it, without a result, or who waited. */
function leave(place: Place, socket: Socket): void {
  place.waiting = place.waiting.filter((other) => other !== socket)
  if (place.maker !== socket || place.made !== undefined) return
  place.maker = undefined
  const next = place.waiting.shift()
  if (next !== undefined) appoint(place, next)
}

function appoint(place: Place, socket: Socket): void {
  place.maker = socket
  tell(socket, { make: true })
}

const tell = (socket: Socket, answer: Answer) => socket.write(`${JSON.stringify(answer)}\n`)
