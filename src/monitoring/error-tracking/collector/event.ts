import {
  asList,
  asRecord,
  bounded,
  type Budget,
  filledText,
  type Json,
  boundedText,
  valuesOf,
} from './json.ts'

/** An event as it is kept: what is shown and grouped by, within bounds. Chains of exceptions end with the outermost. */
export interface ReducedEvent {
  readonly event_id: string
  readonly occurred_at: string
  readonly level: Level
  readonly platform?: string | undefined
  /** What was written, and the same before values were put into it. */
  readonly message?: string | undefined
  readonly template?: string | undefined
  readonly exceptions: readonly ReducedException[]
  readonly fingerprint?: readonly string[] | undefined
  readonly transaction?: string | undefined
  readonly release?: string | undefined
  readonly environment?: string | undefined
  readonly logger?: string | undefined
  readonly server_name?: string | undefined
  readonly sdk?: string | undefined
  readonly tags?: Json | undefined
  readonly user?: Json | undefined
  readonly request?: Json | undefined
  readonly contexts?: Json | undefined
  readonly extra?: Json | undefined
  readonly breadcrumbs?: readonly unknown[] | undefined
}

export interface ReducedException {
  readonly type?: string | undefined
  readonly value?: string | undefined
  readonly module?: string | undefined
  /** Whether the program caught it. */
  readonly handled?: boolean | undefined
  /** The innermost call comes last. */
  readonly frames: readonly Frame[]
}

export interface Frame {
  readonly function?: string | undefined
  readonly module?: string | undefined
  readonly filename?: string | undefined
  readonly lineno?: number | undefined
  readonly colno?: number | undefined
  readonly in_app?: boolean | undefined
  readonly pre_context?: readonly string[] | undefined
  readonly context_line?: string | undefined
  readonly post_context?: readonly string[] | undefined
  readonly vars?: Json | undefined
}

export const levels = ['fatal', 'error', 'warning', 'info', 'debug'] as const
export type Level = (typeof levels)[number]

/** What levels were called at other times: by numbers in SDKs of Python. */
const formerLevels: ReadonlyMap<unknown, Level> = new Map<unknown, Level>([
  ['log', 'info'],
  ['critical', 'fatal'],
  [50, 'fatal'],
  [40, 'error'],
  [30, 'warning'],
  [20, 'info'],
  [10, 'debug'],
])

const levelOf = (value: unknown): Level =>
  levels.find((level) => level === value) ?? formerLevels.get(value) ?? 'error'

/** At most so many, counted from the end: what failed is there. */
const EXCEPTIONS = 10
const FRAMES = 100
const CRUMBS = 50
/** Values in fields of any shape. */
const VALUES = 1_000
/** Lines of source around a call. */
const CONTEXT = 5
const LINE = 256

/** Events from longer ago, or from the future, count as of now: clocks of browsers are wrong. */
const OLDEST = 30 * 86_400_000
const NEWEST = 60_000

/**
 * What is kept of an event.
 * @param now when it arrived.
 * @param newId makes an id for an event that has none of its own.
 */
export function reduceEvent(event: Json, now: Date, newId: () => string): ReducedEvent {
  const budget: Budget = { left: VALUES }
  const logged = asRecord(event['logentry']) ?? asRecord(event['message'])
  const sdk = asRecord(event['sdk'])
  const template = filledText(logged?.['message'], 1024)
  return {
    event_id: idOf(event['event_id']) ?? newId(),
    occurred_at: momentOf(event['timestamp'], now),
    level: levelOf(event['level']),
    platform: filledText(event['platform'], 64),
    message: filledText(logged?.['formatted'], 8192) ?? template ?? filledText(event['message'], 8192),
    template,
    exceptions: exceptionsOf(event, budget),
    fingerprint: fingerprintOf(event['fingerprint']),
    transaction: filledText(event['transaction'], 200),
    release: filledText(event['release'], 250),
    environment: filledText(event['environment'], 64),
    logger: filledText(event['logger'], 64),
    server_name: filledText(event['server_name'], 200),
    sdk: filledText(
      [sdk?.['name'], sdk?.['version']]
        .map((one) => boundedText(one, 64) ?? '')
        .join(' ')
        .trim(),
      130,
    ),
    tags: tagsOf(event['tags']),
    user: anyOf(event['user'], budget),
    request: anyOf(event['request'], budget),
    contexts: anyOf(event['contexts'], budget),
    extra: anyOf(event['extra'], budget),
    breadcrumbs: crumbsOf(event['breadcrumbs'], budget),
  }
}

/** A UUID without dashes; undefined when it is none. */
export function idOf(value: unknown): string | undefined {
  const id = typeof value === 'string' ? value.replaceAll('-', '').toLowerCase() : ''
  return /^[\da-f]{32}$/.test(id) ? id : undefined
}

/** SDKs write seconds since 1970, or a text without a zone in UTC. */
function momentOf(value: unknown, now: Date): string {
  const given =
    typeof value === 'number'
      ? value * 1000
      : typeof value === 'string' && value.length < 64
        ? Date.parse(/[zZ]$|[+-]\d\d:?\d\d$/.test(value) ? value : `${value}Z`)
        : Number.NaN
  const age = now.getTime() - given
  return (age <= OLDEST && age >= -NEWEST ? new Date(given) : now).toISOString()
}

function fingerprintOf(value: unknown): string[] | undefined {
  const parts = asList(value)
    .slice(0, 20)
    .flatMap((part) => boundedText(part, 255) ?? [])
  return parts.length === 0 ? undefined : parts
}

function exceptionsOf(event: Json, budget: Budget): ReducedException[] {
  const exceptions = valuesOf(event['exception'] ?? event['sentry.interfaces.Exception'])
    .slice(-EXCEPTIONS)
    .flatMap((one) => {
      const exception = asRecord(one)
      if (exception === undefined) return []
      const handled = asRecord(exception['mechanism'])?.['handled']
      return {
        type: filledText(exception['type'], 255),
        value: filledText(exception['value'], 8192),
        module: filledText(exception['module'], 255),
        handled: typeof handled === 'boolean' ? handled : undefined,
        frames: framesOf(exception['stacktrace'] ?? exception['raw_stacktrace'], budget),
      }
    })
  if (exceptions.length > 0) return exceptions
  // A message may come with the calls that led to it.
  const threads = valuesOf(event['threads']).map((thread) => asRecord(thread)?.['stacktrace'])
  const frames = framesOf(
    event['stacktrace'] ?? threads.find((stack) => stack !== undefined && stack !== null),
    budget,
  )
  return frames.length > 0 ? [{ frames }] : []
}

function framesOf(stacktrace: unknown, budget: Budget): Frame[] {
  return asList(asRecord(stacktrace)?.['frames'])
    .slice(-FRAMES)
    .flatMap((one) => {
      const frame = asRecord(one)
      if (frame === undefined) return []
      return {
        function: filledText(frame['function'], 255),
        module: filledText(frame['module'], 255),
        filename: filledText(frame['filename'] ?? frame['abs_path'], 512),
        lineno: numberOf(frame['lineno']),
        colno: numberOf(frame['colno']),
        in_app: typeof frame['in_app'] === 'boolean' ? frame['in_app'] : undefined,
        pre_context: linesOf(asList(frame['pre_context']).slice(-CONTEXT)),
        context_line: boundedText(frame['context_line'], LINE),
        post_context: linesOf(asList(frame['post_context']).slice(0, CONTEXT)),
        vars: anyOf(frame['vars'], budget),
      }
    })
}

const linesOf = (lines: readonly unknown[]): string[] | undefined =>
  lines.length === 0 ? undefined : lines.map((line) => boundedText(line, LINE) ?? '')

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined

/** Tags are an object, or a list of pairs. */
function tagsOf(value: unknown): Json | undefined {
  const pairs = Array.isArray(value) ? value.map(asList) : Object.entries(asRecord(value) ?? {})
  const tags = pairs.slice(0, 50).flatMap(([key, one]) => {
    const [name, text] = [filledText(key, 200), boundedText(one, 200)]
    return name === undefined || text === undefined ? [] : [[name, text] as const]
  })
  return tags.length === 0 ? undefined : Object.fromEntries(tags)
}

const anyOf = (value: unknown, budget: Budget): Json | undefined => {
  const record = asRecord(value)
  return record === undefined || Object.keys(record).length === 0
    ? undefined
    : asRecord(bounded(record, budget))
}

function crumbsOf(value: unknown, budget: Budget): unknown[] | undefined {
  const crumbs = valuesOf(value)
    .slice(-CRUMBS)
    .flatMap((crumb) => anyOf(crumb, budget) ?? [])
  return crumbs.length === 0 ? undefined : crumbs
}
