/** How bad an alert is, from the worst. */
export const severities = ['critical', 'high', 'medium', 'low', 'info', 'unknown'] as const
export type Severity = (typeof severities)[number]

export const payloadKinds = ['generic', 'prometheus'] as const
export type PayloadKind = (typeof payloadKinds)[number]

/** A JSON object that somebody sent. */
export type Json = Readonly<Record<string, unknown>>

/** What a monitoring tool says about one alert, read from its payload. */
export interface Report {
  readonly kind: PayloadKind
  readonly title: string
  readonly description: string | null
  readonly severity: Severity
  readonly service: string | null
  readonly monitoringTool: string | null
  readonly hosts: readonly string[]
  readonly environment: string | null
  readonly runbook: string | null
  /** The query behind the alert. */
  readonly query: string | null
  readonly yLabel: string | null
  /** What an incident that comes of it has at the end of its description. */
  readonly incidentMarkdown: string | null
  /** ISO 8601; null for now. */
  readonly startedAt: string | null
  readonly endedAt: string | null
  /** Whether the alert is over. */
  readonly recovered: boolean
  /** Equal for reports of the same alert. */
  readonly fingerprint: string
  /** The same as alerts have it that came before it said which integration it is unique in; undefined where it does not. */
  readonly formerFingerprint: string | undefined
  /** Whether that is shown: somebody gave it, or the feature flag asks for it. */
  readonly fingerprinted: boolean
  /** What was sent, apart from what no database can hold. */
  readonly payload: Json
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
