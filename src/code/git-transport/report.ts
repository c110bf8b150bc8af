import type { ChangeOutcome } from '#code/repositories/outcome.ts'
import { banded, FLUSH, packet } from './pkt-line.ts'

/** What a push came to. */
export interface PushReport {
  /** Why the pack was refused; undefined when it was accepted. */
  readonly unpack: string | undefined
  readonly outcomes: readonly ChangeOutcome[]
  /** Lines for the person, which git shows after `remote: `. */
  readonly messages: readonly string[]
}

/** Milliseconds between two signs of life while the server works. */
const ALIVE = 5_000

/** The answer to a push, with signs of life until there is one: proxies close connections that are silent. */
export async function* answerOf(
  work: Promise<PushReport>,
  capabilities: ReadonlySet<string>,
): AsyncGenerator<Buffer> {
  const isBanded = capabilities.has('side-band-64k') || capabilities.has('side-band')
  for (;;) {
    const report = await within(ALIVE, work)
    if (report !== undefined) return yield* written(report, capabilities, isBanded)
    // An empty packet of the first band.
    if (isBanded) yield Buffer.from('0005\x01')
  }
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, milliseconds, undefined)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function* written(
  { unpack, outcomes, messages }: PushReport,
  capabilities: ReadonlySet<string>,
  isBanded: boolean,
): Generator<Buffer> {
  if (isBanded) for (const message of messages) yield banded(2, `${printable(message)}\n`)
  if (!capabilities.has('report-status') && !capabilities.has('report-status-v2')) {
    if (isBanded) yield FLUSH
    return
  }
  const lines = [
    packet(`unpack ${unpack === undefined ? 'ok' : printable(unpack)}\n`),
    ...outcomes.map(({ ref, refused }) =>
      packet(refused === undefined ? `ok ${ref}\n` : `ng ${ref} ${printable(refused.text)}\n`),
    ),
    FLUSH,
  ]
  if (!isBanded) yield Buffer.concat(lines)
  else yield Buffer.concat([banded(1, Buffer.concat(lines)), FLUSH])
}

/** One line that a terminal shows as it is. */
// oxlint-disable-next-line no-control-regex
const printable = (text: string): string => text.replace(/[\0-\x1f\x7f-\x9f]+/g, ' ').slice(0, 1_000)
