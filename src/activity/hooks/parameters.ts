import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { ById, flag, integer, integerOr, list, nullable, oneOf, text } from '#platform/http/schema.ts'
import type { HookKind } from './triggers.ts'
import { triggersOf } from './triggers.ts'

/** How many custom headers, and how many variables of its URL, a hook may have. */
export const MOST_VALUES = 20

const hook_id = integer({ description: 'The id of a webhook.' })

const ownerParameters = (kind: HookKind) => (kind === 'system' ? {} : ById.properties)
/** The parameters of a path that names a hook. */
export const ByHook = (kind: HookKind) => Type.Object({ ...ownerParameters(kind), hook_id })
export const byValue = (kind: HookKind) => Type.Object({ ...ByHook(kind).properties, key: text() })
export const byHookEvent = (kind: HookKind) =>
  Type.Object({
    ...ByHook(kind).properties,
    hook_event_id: integer({ description: 'The id of a delivery.' }),
  })
export const byTrigger = (kind: HookKind) =>
  Type.Object({
    ...ByHook(kind).properties,
    trigger: oneOf(triggersOf[kind], { description: 'The event to send a sample of.' }),
  })

export const branchFilterStrategies = ['wildcard', 'regex', 'all_branches'] as const

const value = text({ max: 2048, filled: true, description: 'It is never shown again.' })
const values = (what: string) =>
  Type.Optional(
    list(Type.Object({ key: text({ filled: true }), value }), { max: MOST_VALUES, description: what }),
  )

const url = text({
  max: 2048,
  filled: true,
  description: 'An http or https URL. `{name}` stands for the value of a variable.',
})

const further = {
  name: Type.Optional(nullable(text())),
  description: Type.Optional(nullable(text({ max: 2048 }))),
  token: Type.Optional(
    nullable(text({ max: 2048, description: 'Sent as `X-Gitlab-Token`, and never shown.' })),
  ),
  signing_token: Type.Optional(
    nullable(
      text({ description: 'The key that deliveries are signed with: `whsec_` and 32 bytes in Base64.' }),
    ),
  ),
  enable_ssl_verification: Type.Optional(
    flag({ description: 'Whether the certificate of the receiver must be trusted.' }),
  ),
  push_events_branch_filter: Type.Optional(
    nullable(text({ max: 5000, description: 'The branches whose pushes are sent; empty for all.' })),
  ),
  branch_filter_strategy: Type.Optional(
    oneOf(branchFilterStrategies, { description: 'How `push_events_branch_filter` is read.' }),
  ),
  custom_webhook_template: Type.Optional(
    nullable(text({ max: 4096, description: 'JSON with placeholders, sent instead of the payload.' })),
  ),
  url_variables: values('The values of the placeholders in the URL, instead of those before.'),
  custom_headers: values('Further headers of each delivery, instead of those before.'),
}

const triggers = (kind: HookKind) =>
  Object.fromEntries(triggersOf[kind].map((trigger) => [trigger, Type.Optional(flag())]))

/** What may be given for a hook besides its triggers, which differ between kinds. */
export const newHook = (kind: HookKind) => Type.Object({ url, ...further, ...triggers(kind) })
export const hookChanges = (kind: HookKind) =>
  Type.Object({ url: Type.Optional(url), ...further, ...triggers(kind) })

export const HookValue = Type.Object({ value })

export const HookEventFilter = Type.Object({
  ...pageParameters,
  status: Type.Optional(
    integerOr(['successful', 'client_failure', 'server_failure'], {
      minimum: 100,
      maximum: 599,
      description: 'Only deliveries with this status of the answer, or a status of this kind.',
    }),
  ),
})
