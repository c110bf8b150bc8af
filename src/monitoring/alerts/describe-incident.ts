import { iso } from '#platform/http/time.ts'
import { isObject } from '#monitoring/alert-receiver/payload/report.ts'
import type { DetailedRow } from './entity.ts'

/** Characters that would begin markup in a line of text. */
const inLine = (text: string) =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_{}[\]<>#@!~|]/g, String.raw`\$&`)

/** The most characters of what an alert adds to the incident's description. */
const LONGEST_LABELS = 10_000

/**
 * Writes the description of an incident: what the alert tells, what its monitoring tool wants to have there, and the template.
 */
export function describeIncident(alert: DetailedRow, template: string | null): string {
  const lines: readonly (readonly [string, string | null])[] = [
    ['Alert', `^alert#${alert.iid}`],
    ['Severity', alert.severity],
    ['Start time', iso(alert.started_at)],
    ['Service', alert.service],
    ['Monitoring tool', alert.monitoring_tool],
    ['Hosts', alert.hosts.length === 0 ? null : alert.hosts.join(', ')],
    ['Environment', alert.environment],
    ['Query', alert.query],
  ]
  const known = lines.flatMap(([name, value]) => (value === null ? [] : [`**${name}:** ${inLine(value)}`]))
  const runbook = linkTo(alert.runbook)
  return [
    '#### Summary',
    [...known, ...(runbook === null ? [] : [`**Runbook:** ${runbook}`])].join('  \n'),
    ...(alert.description === null ? [] : ['#### Description', inLine(alert.description)]),
    ...labelsOf(alert.payload),
    ...(alert.incident_markdown === null ? [] : ['---', alert.incident_markdown]),
    ...(template === null ? [] : ['---', template]),
  ].join('\n\n')
}

/** A link that is one; anything else is text. */
function linkTo(runbook: string | null): string | null {
  if (runbook === null) return null
  const url = URL.parse(runbook)
  return url !== null && /^https?:$/.test(url.protocol) ? `<${url.href}>` : inLine(runbook)
}

/** The labels of an alert of the metrics format. */
function labelsOf(payload: unknown): string[] {
  const labels = isObject(payload) && isObject(payload['labels']) ? Object.entries(payload['labels']) : []
  if (labels.length === 0) return []
  const text = labels.map(([name, value]) => `- ${inLine(name)}: ${inLine(String(value))}`).join('\n')
  return ['#### Labels', text.slice(0, LONGEST_LABELS).toWellFormed()]
}
