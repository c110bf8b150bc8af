import { MAX_REFERENCE_BYTES, NO_OBJECT } from '#code/git/names.ts'
import type { ReferenceChange } from '#code/repositories/rules.ts'
import { BadPacket, type PacketReader } from './pkt-line.ts'

/** What a client that pushes asks for. */
export interface PushCommands {
  readonly changes: readonly ReferenceChange[]
  readonly capabilities: ReadonlySet<string>
  /** What the person adds with `git push -o`, in that order. */
  readonly options: readonly string[]
}

/** The most references that one push may change, and commits at which a shallow clone that pushes may end. */
const MAX_COMMANDS = 100_000

/** Bytes of all that comes before the pack: of 100,000 references with long names. */
const MOST_BYTES = 16 * 1024 * 1024

/** The most options of a push, and their bytes, which each event of the push keeps. */
const MAX_OPTIONS = 100
const MOST_OPTION_BYTES = 64 * 1024

/** A push that asks for more than one may. Its rest is not read. The message says so to the person. */
export class PushTooLarge extends Error {
  override readonly name = 'PushTooLarge'
  /** What the client understands. */
  readonly capabilities: ReadonlySet<string>

  /** Whether the client reads a report that says so. */
  get isReported(): boolean {
    return this.capabilities.has('report-status') || this.capabilities.has('report-status-v2')
  }

  constructor(message: string, capabilities: ReadonlySet<string>) {
    super(message)
    this.capabilities = capabilities
  }
}

/**
 * Reads the commands of a push, up to the pack (gitprotocol-pack(5)).
 * @throws {BadPacket} or {@link PushTooLarge}
 */
export async function readCommands(packets: PacketReader): Promise<PushCommands> {
  const changes = new Map<string, ReferenceChange>()
  let capabilities: ReadonlySet<string> = new Set()
  let bytes = 0
  let ends = 0
  const refuse = (what: string) => new PushTooLarge(`a push ${what}`, capabilities)
  for (;;) {
    const content = await packets.next()
    if (content === undefined || content === null) {
      const brings = changes.size > 0 && capabilities.has('push-options')
      const options = brings ? await readOptions(packets, refuse) : []
      return { changes: [...changes.values()], capabilities, options }
    }
    bytes += content.length
    const [line = '', list] = content.toString('utf8').replace(/\n$/, '').split('\0', 2)
    if (list !== undefined) capabilities = new Set(list.trim().split(' '))
    if (bytes > MOST_BYTES) throw refuse(`has at most ${MOST_BYTES / 1024 / 1024} MB of commands`)
    // A client with a shallow clone tells where it ends. What it pushes must fit onto what is here all the same.
    if (line.startsWith('shallow ')) {
      ends += 1
      if (ends > MAX_COMMANDS) throw refuse(`comes from a clone that ends at ${MAX_COMMANDS} commits at most`)
      continue
    }
    const [, before, after, ref] = /^([0-9a-f]{40}) ([0-9a-f]{40}) (.+)$/s.exec(line) ?? []
    if (before === undefined || after === undefined || ref === undefined)
      throw new BadPacket('a command is malformed')
    if (Buffer.byteLength(ref) > MAX_REFERENCE_BYTES)
      throw refuse(`names references in at most ${MAX_REFERENCE_BYTES} bytes each`)
    if (changes.has(ref)) throw new BadPacket(`two commands change ${ref}`)
    if (changes.size === MAX_COMMANDS) throw refuse(`changes at most ${MAX_COMMANDS} references`)
    changes.set(ref, { ref, before, after })
  }
}

/** The options after the commands, each of which is one packet. */
async function readOptions(
  packets: PacketReader,
  refuse: (what: string) => PushTooLarge,
): Promise<readonly string[]> {
  const options: string[] = []
  let bytes = 0
  for (;;) {
    const content = await packets.next()
    if (content === undefined) throw new BadPacket('the request ended within the push options')
    if (content === null) return options
    bytes += content.length
    if (bytes > MOST_OPTION_BYTES) throw refuse(`has at most ${MOST_OPTION_BYTES / 1024} KB of options`)
    if (options.length === MAX_OPTIONS) throw refuse(`has at most ${MAX_OPTIONS} options`)
    // PostgreSQL stores no NUL.
    options.push(content.toString('utf8').replace(/\n$/, '').replaceAll('\0', ''))
  }
}

/** Whether a push brings objects: all that does not delete has a pack. */
export const bringsPack = ({ changes }: PushCommands): boolean =>
  changes.some(({ after }) => after !== NO_OBJECT)
