import type { FastifyInstance } from 'fastify'
import { answerTo, HttpError } from '#platform/http/errors.ts'
import { Refusal } from '#platform/refusals.ts'
import { GitFailed } from '#code/git/errors.ts'
import { NO_OBJECT } from '#code/git/names.ts'
import { missingFrom, Quarantine } from '#code/git/quarantine.ts'
import { changeReferences } from '#code/repositories/change-references.ts'
import type { ChangeOutcome } from '#code/repositories/outcome.ts'
import type { ChangeRefusal } from '#code/repositories/rules.ts'
import { readPushOptions } from '#code/repositories/push-options.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import type { GitAccess } from './access.ts'
import { refusalOfArrival } from './arrival-checks.ts'
import { followPush } from './after-push.ts'
import { bringsPack, type PushCommands, PushTooLarge, readCommands } from './commands.ts'
import { sentenceOf } from './errors.ts'
import { PacketReader } from './pkt-line.ts'
import type { PushReport } from './report.ts'

export interface ReceiveOptions {
  readonly services: FastifyInstance['services']
  readonly repository: StoredRepository
  readonly access: GitAccess
  /** The most bytes of a pack; 0 for no limit. */
  readonly maxBytes: number
  /** Aborted when the client leaves. What has begun to change is finished all the same. */
  readonly signal: AbortSignal
  readonly log: (error: unknown) => void
  /** Whether the client may leave its side open while it waits, as over SSH: then the pack says itself where it ends. */
  readonly staysOpen?: boolean
}

/** What a client sends. One that can be destroyed is, when nobody reads the rest. */
export type PushBody = AsyncIterable<Buffer> & { destroy?(): unknown }

/** A push whose body was read. */
export interface Push {
  /** Undefined for a request without commands, with which clients try their credentials. */
  readonly commands: PushCommands | undefined
  readonly report: Promise<PushReport>
}

/**
 * Takes in a push. It resolves as soon as the whole body has arrived, so that the answer can begin; over a connection that stays open,
 * as soon as the commands have.
 * @throws BadPacket for what is no push; PushTooLarge when the client would not understand a report that says so
 */
export async function receivePush(body: PushBody, options: ReceiveOptions): Promise<Push> {
  const { commands, report } = await receiveOrRefuse(body, options)
  const told = report.then((one) => withRemarks(one, options.access))
  // Nobody waits for it when the client has left.
  told.catch(() => {})
  return { commands, report: told }
}

const withRemarks = (report: PushReport, { remarks = [] }: GitAccess): PushReport => ({
  ...report,
  messages: [...remarks, ...report.messages],
})

async function receiveOrRefuse(body: PushBody, options: ReceiveOptions): Promise<Push> {
  try {
    return await receive(body, options)
  } catch (error) {
    if (!(error instanceof PushTooLarge) || !error.isReported) throw error
    options.log(error)
    const commands = { changes: [], capabilities: error.capabilities, options: [] }
    return { commands, report: Promise.resolve(refusedReport(commands, error.message, [error.message])) }
  }
}

async function receive(body: PushBody, options: ReceiveOptions): Promise<Push> {
  const packets = new PacketReader(body)
  const commands = await readCommands(packets).catch((error: unknown) => {
    body.destroy?.()
    throw error
  })
  if (commands.changes.length === 0) return { commands: undefined, report: Promise.resolve(nothing) }
  const arrived = Promise.withResolvers<void>()
  const arriving = options.staysOpen === true ? readOpen(packets, commands) : read(packets, arrived.resolve)
  const report = push(commands, arriving, options)
  if (options.staysOpen !== true) await Promise.race([arrived.promise, report.catch(() => undefined)])
  return { commands, report }
}

const nothing: PushReport = { unpack: undefined, outcomes: [], messages: [] }

interface Arriving {
  readonly count: number
  readonly bytes: AsyncIterable<Buffer>
}

/** The pack of a push, and how many objects it announces. */
async function read(packets: PacketReader, onEnd: () => void): Promise<Arriving> {
  return { count: countIn(await packets.peek(HEAD)), bytes: watched(packets.rest(), onEnd) }
}

/** The same from a client that waits for the report without closing its side. */
async function readOpen(packets: PacketReader, commands: PushCommands): Promise<Arriving> {
  const count = bringsPack(commands) ? countIn(await packets.peek(HEAD)) : 0
  return { count, bytes: count === 0 ? none() : packets.rest() }
}

/** Bytes that a pack begins with: its name, its version, and the number of its objects. */
const HEAD = 12

const countIn = (head: Buffer): number =>
  head.length === HEAD && head.toString('latin1', 0, 4) === 'PACK' ? head.readUInt32BE(8) : 0

async function* none(): AsyncGenerator<Buffer> {}

async function* watched(bytes: AsyncIterable<Buffer>, onEnd: () => void): AsyncGenerator<Buffer> {
  yield* bytes
  onEnd()
}

async function push(
  commands: PushCommands,
  arriving: Promise<Arriving>,
  options: ReceiveOptions,
): Promise<PushReport> {
  const { repository, log } = options
  try {
    const { count, bytes } = await arriving
    if (!bringsPack(commands) || count === 0) {
      for await (const _ of bytes);
      return await change(commands, undefined, options)
    }
    await using quarantine = await Quarantine.open(repository)
    await quarantine.receive(bytes, options.maxBytes, options.signal)
    return await change(commands, quarantine, options)
  } catch (error) {
    options.signal.throwIfAborted()
    log(error)
    return refusedReport(commands, ...reasonsOf(error, options))
  }
}

async function change(
  { changes, capabilities, options: sent }: PushCommands,
  quarantine: Quarantine | undefined,
  { services, repository, access, signal, log }: ReceiveOptions,
): Promise<PushReport> {
  const wanted = changes.map(({ after }) => after).filter((id) => id !== NO_OBJECT)
  const seen = quarantine?.repository ?? repository
  const [missing, small = []] = await Promise.all([
    missingFrom(seen, wanted, signal),
    quarantine?.inspect(signal),
  ])
  const refusal = await refusalOfArrival({ repository: seen, small, access, services, signal })
  if (refusal !== undefined)
    return reportOf(changes.map((one) => ({ ...one, refused: { code: 'rule', text: refusal } })))
  const atomic = capabilities.has('atomic')
  const whole = changes.filter(({ after }) => !missing.has(after))
  const incomplete = changes
    .filter(({ after }) => missing.has(after))
    .map((one) => ({ ...one, refused: incompleteBecause('objects that it refers to are missing') }))
  if (atomic && incomplete.length > 0) {
    return reportOf(changes.map((one) => ({ ...one, refused: incompleteBecause('objects are missing') })))
  }
  signal.throwIfAborted()
  const { options: said, unknown } = readPushOptions(sent)
  const options = access.options === undefined ? said : { ...said, ...access.options }
  const outcomes = await changeReferences(services.repositories, repository, {
    changes: whole,
    by: access.by,
    changer: { accessContext: access.accessContext, userId: access.userId },
    cause: 'push',
    site: access.site,
    options,
    atomic,
    ...(quarantine && { quarantine }),
  })
  const done = outcomes.filter(({ refused }) => refused === undefined)
  const remarks = await followPush({ services, access, changes: done, options, log })
  return reportOf([...outcomes, ...incomplete], [...remarksOn(unknown), ...remarks])
}

/** The most characters of an unknown option that a person reads, and the most of them. */
const NAME = 60
const NAMES = 10

function remarksOn(unknown: readonly string[]): readonly string[] {
  if (unknown.length === 0) return []
  const names = unknown.slice(0, NAMES).map((name) => (name.length > NAME ? `${name.slice(0, NAME)}…` : name))
  const more = unknown.length > NAMES ? ` and ${unknown.length - NAMES} more` : ''
  return [sentence(`this server does not know these push options: ${names.join(', ')}${more}.`)]
}

const incompleteBecause = (text: string): ChangeRefusal => ({ code: 'incomplete', text })

function reportOf(outcomes: readonly ChangeOutcome[], remarks: readonly string[] = []): PushReport {
  const reasons = new Set(outcomes.flatMap(({ refused }) => refused?.text ?? []))
  return { unpack: undefined, outcomes, messages: [...[...reasons].map(sentence), ...remarks] }
}

const sentence = (text: string): string => `Forgelet: ${text.charAt(0).toUpperCase()}${text.slice(1)}`

function refusedReport({ changes }: PushCommands, unpack: string, messages: readonly string[]): PushReport {
  return {
    unpack,
    outcomes: changes.map((one) => ({ ...one, refused: { code: 'others', text: 'the push was refused' } })),
    messages: messages.map(sentence),
  }
}

/** The most lines of git's own that a person sees. */
const LINES = 20

/** Why a pack was refused: in a few words, and in sentences for the person. */
function reasonsOf(
  error: unknown,
  { repository, maxBytes }: ReceiveOptions,
): [unpack: string, messages: string[]] {
  // The stream of a body that cannot be unpacked fails with a refusal of HTTP's own.
  const answer = error instanceof Refusal ? answerTo(error) : error
  if (answer instanceof HttpError) return [sentenceOf(answer), [sentenceOf(answer)]]
  if (!(error instanceof GitFailed)) return ['the server failed', ['the server failed; try again later']]
  if (/maximum allowed size/.test(error.stderr)) {
    const megabytes = Math.floor(maxBytes / 1024 / 1024)
    return ['the pack is too large', [`the push is larger than the ${megabytes} MB that this server accepts`]]
  }
  const lines = error.stderr
    .split('\n')
    .filter((line) => /^(?:error|fatal): /.test(line))
    .map((line) => line.replaceAll(repository.folder, '').replace(/^(?:error|fatal): /, ''))
  return ['the pack is damaged, or holds what git refuses', lines.slice(0, LINES)]
}
