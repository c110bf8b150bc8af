import type { MappedField } from './fields.ts'
import { type Identity, isIdentity, type MappingReader } from './mapping.ts'
import { readPath, valueAt, without } from './paths.ts'
import type { Json, Report, Severity } from './report.ts'
import { severities } from './report.ts'
import { canonical, firstText, hostsOf, momentOf, sha1, valueAsText } from './values.ts'

/** The longest texts of an alert, in characters. Longer ones are cut; the payload keeps them. */
export const longest = {
  title: 200,
  description: 1000,
  name: 100,
  environment: 255,
  runbook: 2048,
  query: 10_000,
  label: 255,
  markdown: 100_000,
} as const

const DEFAULT_TITLE = 'New: Alert'

/** What a field is called in payloads that need no mapping, besides its own name. */
const aliases: Readonly<Partial<Record<MappedField, readonly string[]>>> = {
  service_environment_name: ['gitlab_environment_name'],
}

/** What decides how a payload is read, besides its integration. */
export interface Switches {
  /** The feature flag `generic_alert_fingerprinting`. */
  readonly fingerprinting: boolean
}

/** Reads a payload of no particular form. Every field may be missing. */
export function readGeneric(payload: Json, reading: MappingReader, switches: Switches): Report {
  const value = (field: MappedField) => valueOf(payload, reading, field)
  const endedAt = momentOf(value('end_time'))
  const own = payload['fingerprint']
  const given = fingerprintOf(
    reading.identity(payload) ?? { value: isIdentity(own) ? own : undefined, within: undefined },
  )
  return {
    kind: 'generic',
    title: valueAsText(value('title'), longest.title) ?? DEFAULT_TITLE,
    description: valueAsText(value('description'), longest.description),
    severity: severityOf(value('severity'), reading),
    service: valueAsText(value('service'), longest.name),
    monitoringTool: valueAsText(value('monitoring_tool'), longest.name),
    hosts: hostsOf(value('hosts')),
    environment: valueAsText(value('service_environment_name'), longest.environment),
    runbook: null,
    query: null,
    yLabel: null,
    incidentMarkdown: null,
    startedAt: momentOf(value('start_time')),
    endedAt,
    recovered: endedAt !== null || recoveredBy(payload, reading),
    fingerprint: given?.now ?? computed(payload, reading, switches),
    formerFingerprint: given?.before,
    fingerprinted: given !== undefined || switches.fingerprinting,
    payload,
  }
}

/** The value of a field: where the mapping says, or else under its own name. */
export function valueOf(payload: Json, reading: MappingReader, field: MappedField): unknown {
  const mapped = reading.mapped(payload, field)
  if (mapped !== undefined) return mapped
  const own = [field, ...(aliases[field] ?? [])].find((name) => Object.hasOwn(payload, name))
  return own === undefined ? undefined : payload[own]
}

const isSeverity = (word: string): word is Severity => severities.some((severity) => severity === word)

function severityOf(value: unknown, { preset }: MappingReader): Severity {
  const word = valueAsText(value, 255)?.toLowerCase() ?? ''
  return preset?.severities[word] ?? (isSeverity(word) ? word : 'critical')
}

/** Whether the program behind a preset says that the alert is over. */
export function recoveredBy(payload: Json, { preset }: MappingReader): boolean {
  return (preset?.recovered ?? []).some(({ path, values }) => {
    const text = firstText([valueAt(payload, readPath(path) ?? [])], 255)
    return text !== null && values.includes(text.toLowerCase())
  })
}

/** What a fingerprint is, and what it was before it said in what it is unique. */
interface Fingerprint {
  readonly now: string
  readonly before: string | undefined
}

/** The fingerprint that somebody gave: a text, or a list whose order counts. */
export function fingerprintOf(identity: Identity | undefined): Fingerprint | undefined {
  const value = identity?.value
  const isList = Array.isArray(value)
  const text = isList ? canonical(value) : valueAsText(value, Number.POSITIVE_INFINITY)
  if (text === null || (isList && value.length === 0)) return undefined
  const [plain, within] = [sha1(text), identity?.within]
  return within === undefined
    ? { now: plain, before: undefined }
    : { now: sha1(canonical([within, text])), before: plain }
}

/**
 * The fingerprint of a payload that has none. Reports of the same alert at different times, or of different hosts, have the same;
 * where the feature flag is on, so has the report that the alert is over.
 */
function computed(payload: Json, reading: MappingReader, { fingerprinting }: Switches): string {
  const left = (['start_time', 'hosts', ...(fingerprinting ? (['end_time'] as const) : [])] as const).flatMap(
    (field) => [[field], ...reading.paths(field)],
  )
  return sha1(canonical(left.reduce<unknown>(without, payload)))
}
