import { type Static, Type } from 'typebox'
import { entity, integer } from '#platform/http/schema.ts'
import type { HookEventRow } from './queries.ts'

const Headers = Type.Record(Type.String(), Type.String())

/** An event in the log of a webhook: a delivery as it was tried once. */
export const HookEventEntity = entity('HookEvent', {
  id: integer(),
  url: Type.String({ description: 'With the names of its variables.' }),
  trigger: Type.String(),
  request_headers: Headers,
  request_data: Type.Unsafe<object>({
    type: 'object',
    additionalProperties: true,
    description: 'The payload.',
  }),
  response_headers: Headers,
  response_body: Type.String({ description: 'The beginning of it, or why there is none.' }),
  execution_duration: Type.Number({ description: 'Seconds.' }),
  response_status: Type.String({ description: '`internal error` when there was no answer.' }),
})

export const ResendResult = Type.Object({
  response_status: Type.Unsafe<number | string>({ type: ['integer', 'string'] }),
})

/** `response_status` of an event without an answer. */
export const NO_ANSWER = 'internal error'

export const presentHookEvent = (row: HookEventRow): Static<typeof HookEventEntity> => ({
  id: row.id,
  url: row.url,
  trigger: row.trigger,
  request_headers: headersOf(row.request_headers),
  request_data: objectOf(row.data),
  response_headers: headersOf(row.response_headers),
  response_body: row.response_body,
  execution_duration: row.seconds,
  response_status: row.response_status === null ? NO_ANSWER : String(row.response_status),
})

const headersOf = (stored: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(typeof stored === 'object' && stored !== null ? stored : {}).map(([name, value]) => [
      name,
      String(value),
    ]),
  )

function objectOf(data: string): object {
  const value: unknown = JSON.parse(data)
  return typeof value === 'object' && value !== null ? value : {}
}
