import type { Report } from './payload/report.ts'

/** An alert that reports may be about, as it is when a batch begins. */
export interface KnownAlert {
  readonly id: number
  readonly iid: number
  readonly title: string
  readonly fingerprint: string
  readonly isOpen: boolean
  readonly started_at: string
  readonly ended_at: string | null
}

/** An alert that is there already, and what a batch does to it. */
export interface AlertUpdate {
  readonly alert: KnownAlert
  /** How often it was reported. */
  events: number
  /** The end that the monitoring tool tells; undefined while the alert is open, null for now. */
  endedAt: string | null | undefined
}

/** A new alert. */
export interface NewAlert {
  readonly report: Report
  readonly integrationId: number
  events: number
  endedAt: string | null | undefined
}

/** What a batch of reports does. */
export interface BatchEffect {
  readonly changed: readonly AlertUpdate[]
  readonly made: readonly NewAlert[]
  /** The alert of each report, in their order. */
  readonly of: readonly (AlertUpdate | NewAlert)[]
}

export interface ReceivedReport {
  readonly report: Report
  readonly integrationId: number
}

/**
 * Reckons what reports of one project do, one after the other: a report of an open alert is counted, one that it is over resolves it,
 * and every other one makes an alert.
 * @param known the open alerts with the fingerprints of the reports, and for recoveries also the last resolved ones.
 */
export function reckon(reports: readonly ReceivedReport[], known: readonly KnownAlert[]): BatchEffect {
  const states = new Map<string, AlertUpdate>()
  const open = new Map<string, AlertUpdate | NewAlert>()
  const closed = new Map<string, AlertUpdate | NewAlert>()
  for (const alert of known) {
    const state = { alert, events: 0, endedAt: undefined }
    states.set(`${alert.id}`, state)
    ;(alert.isOpen ? open : closed).set(alert.fingerprint, state)
  }
  const made: NewAlert[] = []
  const of = reports.map(({ report, integrationId }) => {
    const { fingerprint, recovered, endedAt } = report
    const before = open.get(fingerprint)
    if (before !== undefined) {
      if (recovered) {
        before.endedAt = endedAt
        open.delete(fingerprint)
        closed.set(fingerprint, before)
      } else before.events += 1
      return before
    }
    const over = closed.get(fingerprint)
    if (recovered && over !== undefined && isRepeated(report, over)) return over
    const alert: NewAlert = { report, integrationId, events: 1, endedAt: recovered ? endedAt : undefined }
    made.push(alert)
    ;(recovered ? closed : open).set(fingerprint, alert)
    return alert
  })
  const changed = [...states.values()].filter(({ events, endedAt }) => events > 0 || endedAt !== undefined)
  return { changed, made, of }
}

/** Whether a recovery was told before: tools send it again when they got no answer, and a pair of them sends it twice. */
function isRepeated({ startedAt, endedAt }: Report, over: AlertUpdate | NewAlert): boolean {
  const [start, end] =
    'alert' in over
      ? [over.alert.started_at, over.endedAt ?? over.alert.ended_at]
      : [over.report.startedAt, over.endedAt]
  return (startedAt !== null && startedAt === start) || (endedAt !== null && endedAt === end)
}
