import { Type } from 'typebox'
import { severities } from '#monitoring/alert-receiver/payload/report.ts'
import { orderParameters } from '#platform/http/order.ts'
import { ById, integer, list, MAX_INT4, oneOf, rules, text } from '#platform/http/schema.ts'
import { alertOrder } from './order.ts'

export const alertStatuses = ['triggered', 'acknowledged', 'resolved', 'ignored'] as const
export type AlertStatus = (typeof alertStatuses)[number]

/** The most people of an alert. */
const MOST_ASSIGNEES = 20

export const alertIid = integer({
  minimum: 1,
  maximum: MAX_INT4,
  description: 'The number of an alert in its project.',
})

export const ByAlert = Type.Object({ ...ById.properties, alert_iid: alertIid })

export const AlertFilter = Type.Object({
  ...orderParameters(alertOrder),
  status: Type.Optional(
    list(oneOf(alertStatuses), { comma: true, description: 'Only alerts in one of these.' }),
  ),
  severity: Type.Optional(list(oneOf(severities), { comma: true, description: 'Only alerts of these.' })),
  monitoring_tool: Type.Optional(text({ max: 100, description: 'Only alerts of this tool.' })),
  assignee_username: Type.Optional(text({ description: 'Only alerts of this person.' })),
  search: Type.Optional(
    text({ description: 'Only alerts with this in title, description, service or monitoring tool.' }),
  ),
})

export const AlertChanges = Type.Object(
  {
    status: Type.Optional(
      oneOf(alertStatuses, {
        description:
          '`resolved` ends the alert; the next report of it makes another. `triggered` opens it again.',
      }),
    ),
    assignee_ids: Type.Optional(
      list(integer({ minimum: 0 }), {
        max: MOST_ASSIGNEES,
        description: 'The ids of the people who work on it. 0 for nobody.',
      }),
    ),
  },
  rules({ atLeastOneOf: ['status', 'assignee_ids'] }),
)
