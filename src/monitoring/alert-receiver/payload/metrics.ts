import { fingerprintOf, longest, recoveredBy } from './generic.ts'
import type { MappingReader } from './mapping.ts'
import { isObject, type Json, type Report, type Severity } from './report.ts'
import { canonical, firstText, hostsOf, momentOf, sha1, valueAsText } from './values.ts'

/** What every payload of the metrics format has at the top. */
const REQUIRED = [
  'alerts',
  'commonAnnotations',
  'commonLabels',
  'externalURL',
  'groupKey',
  'groupLabels',
  'receiver',
  'status',
  'version',
] as const

/** A payload of the metrics format, as Prometheus' Alertmanager sends it. */
export interface MetricsPayload extends Json {
  readonly alerts: readonly unknown[]
}

export const isMetrics = (payload: Json): payload is MetricsPayload =>
  REQUIRED.every((name) => Object.hasOwn(payload, name)) && Array.isArray(payload['alerts'])

/** The words for each severity, in lower case. Anything else is critical. */
const words: Readonly<Record<Exclude<Severity, 'unknown'>, readonly string[]>> = {
  critical: ['critical', 's1', 'p1', 'emergency', 'fatal'],
  high: ['high', 's2', 'p2', 'major', 'page'],
  medium: ['medium', 's3', 'p3', 'error', 'alert'],
  low: ['low', 's4', 'p4', 'warn', 'warning'],
  info: ['info', 's5', 'p5', 'debug', 'information', 'notice'],
}
const severityOfWord = new Map<string, Severity>(
  (['critical', 'high', 'medium', 'low', 'info'] as const).flatMap((severity) =>
    words[severity].map((word) => [word, severity] as const),
  ),
)

/** The tool that sends this format, unless the payload says otherwise. */
const TOOL = 'Prometheus'

const part = (element: Json, name: string): Json => {
  const value = element[name]
  return isObject(value) ? value : {}
}

/**
 * Reads one element of `alerts`.
 * @param now ISO 8601.
 * @returns what is missing, in a sentence, for an element that cannot become an alert.
 */
export function readElement(element: unknown, reading: MappingReader, now: string): Report | string {
  if (!isObject(element)) return 'is not an object'
  const [labels, annotations] = [part(element, 'labels'), part(element, 'annotations')]
  const either = (name: string, inside: Json) => [inside[`service_${name}`], inside[`gitlab_${name}`]]
  const titles = [annotations['title'], annotations['summary'], labels['alertname']]
  const title = firstText([reading.mapped(element, 'title'), ...titles], longest.title)
  if (title === null) return 'has no title'
  const start = reading.mapped(element, 'start_time') ?? element['startsAt']
  if (valueAsText(start, 255) === null) return 'has no startsAt'
  const startedAt = momentOf(start)
  const over = momentOf(reading.mapped(element, 'end_time') ?? element['endsAt'])
  const recovered = isOver(element, over, now) || recoveredBy(element, reading)
  const query = queryOf(element['generatorURL'])
  const severity =
    valueAsText(reading.mapped(element, 'severity') ?? labels['severity'], 255)?.toLowerCase() ?? ''
  const given = fingerprintOf(reading.identity(element))
  return {
    kind: 'prometheus',
    title,
    description: firstText(
      [reading.mapped(element, 'description'), annotations['description']],
      longest.description,
    ),
    severity: reading.preset?.severities[severity] ?? severityOfWord.get(severity) ?? 'critical',
    service: valueAsText(reading.mapped(element, 'service'), longest.name),
    monitoringTool: valueAsText(reading.mapped(element, 'monitoring_tool'), longest.name) ?? TOOL,
    hosts: hostsOf(reading.mapped(element, 'hosts')),
    environment: firstText(
      [reading.mapped(element, 'service_environment_name'), ...either('environment_name', labels)],
      longest.environment,
    ),
    runbook: valueAsText(annotations['runbook'], longest.runbook),
    query,
    yLabel: firstText([...either('y_label', annotations), ...titles], longest.label),
    incidentMarkdown: firstText(either('incident_markdown', annotations), longest.markdown),
    startedAt,
    endedAt: recovered ? over : null,
    recovered,
    fingerprint: given?.now ?? identityOf(title, labels, query),
    formerFingerprint: given?.before,
    fingerprinted: true,
    payload: element,
  }
}

/** `status` decides. Without one, an end that has passed does: a firing alert may have one that is yet to come. */
function isOver({ status }: Json, over: string | null, now: string): boolean {
  if (typeof status === 'string' && status !== '') return status.toLowerCase() === 'resolved'
  return over !== null && over <= now
}

/**
 * What makes two elements the same alert. Prometheus tells alerts apart by their labels, and changes annotations while
 * an alert lasts. Without its name among the labels, title and query count, too.
 */
const identityOf = (title: string, labels: Json, query: string | null): string =>
  sha1(canonical(valueAsText(labels['alertname'], 255) === null ? [title, labels, query] : labels))

function queryOf(url: unknown): string | null {
  if (typeof url !== 'string' || url.length > 65_536) return null
  return valueAsText(URL.parse(url, 'http://localhost')?.searchParams.get('g0.expr'), longest.query)
}
