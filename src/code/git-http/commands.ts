import { NO_OBJECT } from '#code/git/names.ts'
import type { ReferenceChange } from '#code/repositories/rules.ts'
import { BadPacket, type PacketReader } from './pkt-line.ts'

/** What a client that pushes asks for. */
export interface PushCommands {
  readonly changes: readonly ReferenceChange[]
  readonly capabilities: ReadonlySet<string>
}

/** The most references that one push may change. */
const MOST = 100_000

/** Reads the commands of a push, up to the pack (gitprotocol-pack(5)). @throws {BadPacket} */
export async function readCommands(packets: PacketReader): Promise<PushCommands> {
  const changes = new Map<string, ReferenceChange>()
  let capabilities: ReadonlySet<string> = new Set()
  for (;;) {
    const content = await packets.next()
    if (content === undefined || content === null) return { changes: [...changes.values()], capabilities }
    const [line = '', list] = content.toString('utf8').replace(/\n$/, '').split('\0', 2)
    if (list !== undefined) capabilities = new Set(list.trim().split(' '))
    // A client with a shallow clone tells where it ends. What it pushes must fit onto what is here all the same.
    if (line.startsWith('shallow ')) continue
    const [, before, after, ref] = /^([0-9a-f]{40}) ([0-9a-f]{40}) (.+)$/s.exec(line) ?? []
    if (before === undefined || after === undefined || ref === undefined)
      throw new BadPacket('a command is malformed')
    if (changes.has(ref)) throw new BadPacket(`two commands change ${ref}`)
    if (changes.size === MOST) throw new BadPacket(`a push changes at most ${MOST} references`)
    changes.set(ref, { ref, before, after })
  }
}

/** Whether a push brings objects: all that does not delete has a pack. */
export const bringsPack = ({ changes }: PushCommands): boolean =>
  changes.some(({ after }) => after !== NO_OBJECT)
