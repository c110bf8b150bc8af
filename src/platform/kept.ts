interface Room<Value> {
  /** What all values may take together. */
  readonly most: number
  /** What one may take: a quarter of that unless given, so that none takes the room of all others. */
  readonly mostOfOne?: number
  /** What a value takes. */
  readonly sizeOf: (value: Value) => number
}

/** What somebody asked for lately, by a key that says all of what it was made of. The value that nobody asked for longest goes first. */
export class Kept<Value extends {}> {
  readonly mostOfOne: number
  readonly #room: Room<Value>
  /** The one that was asked for longest ago first. */
  readonly #values = new Map<string, Value>()
  #size = 0

  constructor(room: Room<Value>) {
    this.#room = room
    this.mostOfOne = room.mostOfOne ?? room.most / 4
  }

  /** What all values take together. */
  get size(): number {
    return this.#size
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key)
    if (value === undefined) return undefined
    this.#values.delete(key)
    this.#values.set(key, value)
    return value
  }

  keep(key: string, value: Value): void {
    const { most, sizeOf } = this.#room
    const size = sizeOf(value)
    if (size > this.mostOfOne) return
    this.#remove(key)
    this.#values.set(key, value)
    this.#size += size
    for (const oldest of this.#values.keys()) {
      if (this.#size <= most) break
      this.#remove(oldest)
    }
  }

  #remove(key: string): void {
    const value = this.#values.get(key)
    if (value === undefined) return
    this.#values.delete(key)
    this.#size -= this.#room.sizeOf(value)
  }
}
