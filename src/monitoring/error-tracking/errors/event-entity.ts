import { Type } from 'typebox'
import type { Static } from 'typebox'
import { entity, flag, integer, moment, nullable } from '#platform/http/schema.ts'
import type { Frame, ReducedEvent } from '../collector/event.ts'

const any = (description: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>> | null>({
    type: ['object', 'null'],
    additionalProperties: true,
    description,
  })
const optionalText = () => nullable(Type.String())
const lines = () => Type.Array(Type.String())

const ShownFrame = Type.Object({
  function: optionalText(),
  module: optionalText(),
  filename: optionalText(),
  lineno: nullable(integer()),
  colno: nullable(integer()),
  in_app: flag({ description: "Whether it is the program's own code." }),
  pre_context: lines(),
  context_line: optionalText(),
  post_context: lines(),
  vars: any('The variables there.'),
})

const fields = {
  event_id: Type.String(),
  occurred_at: moment(),
  level: Type.String(),
  message: optionalText(),
  exceptions: Type.Array(
    Type.Object({
      type: optionalText(),
      value: optionalText(),
      handled: nullable(flag()),
      frames: Type.Array(ShownFrame, { description: 'The innermost call comes last.' }),
    }),
    { description: 'The exception that ended it all comes last, its causes before it.' },
  ),
  transaction: optionalText(),
  release: optionalText(),
  environment: optionalText(),
  server_name: optionalText(),
  sdk: optionalText(),
  tags: any('By name.'),
  user: any('Who was affected.'),
  request: any('The request in which it happened.'),
  contexts: any('What the SDK says of the system.'),
  extra: any('What the program adds.'),
  breadcrumbs: Type.Array(any('What happened before.')),
}
const EventSchema = Type.Object(fields)
type EventEntity = Static<typeof EventSchema>

/** An event that is kept as a whole. */
export const ErrorEvent = entity('ErrorEvent', fields)

/** The latest event that is kept as a whole. */
export const LatestEvent = Type.Unsafe<EventEntity | null>({
  ...EventSchema,
  type: ['object', 'null'],
  description: 'The latest event that is kept as a whole; null once all are too old.',
})

export function presentEvent(event: ReducedEvent): EventEntity {
  const { message, transaction, release, environment, server_name, sdk, tags, user } = event
  return {
    event_id: event.event_id,
    occurred_at: event.occurred_at,
    level: event.level,
    message: message ?? null,
    exceptions: event.exceptions.map(({ type, value, handled, frames }) => ({
      type: type ?? null,
      value: value ?? null,
      handled: handled ?? null,
      frames: frames.map(presentFrame),
    })),
    transaction: transaction ?? null,
    release: release ?? null,
    environment: environment ?? null,
    server_name: server_name ?? null,
    sdk: sdk ?? null,
    tags: tags ?? null,
    user: user ?? null,
    request: event.request ?? null,
    contexts: event.contexts ?? null,
    extra: event.extra ?? null,
    breadcrumbs: (event.breadcrumbs ?? []).flatMap((crumb) =>
      typeof crumb === 'object' && crumb !== null ? { ...crumb } : [],
    ),
  }
}

const presentFrame = (frame: Frame): Static<typeof ShownFrame> => ({
  function: frame.function ?? null,
  module: frame.module ?? null,
  filename: frame.filename ?? null,
  lineno: frame.lineno ?? null,
  colno: frame.colno ?? null,
  in_app: frame.in_app === true,
  pre_context: [...(frame.pre_context ?? [])],
  context_line: frame.context_line ?? null,
  post_context: [...(frame.post_context ?? [])],
  vars: frame.vars ?? null,
})
