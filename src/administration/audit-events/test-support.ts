import type { Client } from '#test/client.ts'
import type { World } from '#test/world.ts'

/** An event as tests compare it. */
export interface AuditRecord {
  readonly id: number
  readonly author_id: number
  readonly event_name: string
  readonly entity_type: string
  readonly entity_id: number
  readonly details: Readonly<Record<string, unknown>>
}

/** The events that come while `work` runs, oldest first. */
export async function eventsOf({ root }: World, work: () => Promise<unknown>): Promise<AuditRecord[]> {
  const newest = async (by: Client, query: string): Promise<AuditRecord[]> =>
    (await by.get(`/audit_events?${query}`)).body
  const [before] = await newest(root, 'per_page=1')
  await work()
  const after = await newest(root, 'per_page=100')
  return after.filter(({ id }) => id > (before?.id ?? 0)).toReversed()
}

/** What they tell: the name, and what was done; without who, where and when. */
export const toldBy = (events: readonly AuditRecord[]) =>
  events.map(({ event_name, details }) => {
    const { change, from, to, add, remove, as, custom_message } = details
    const done = Object.entries({ change, from, to, add, remove, as, custom_message })
    return [event_name, Object.fromEntries(done.filter(([, value]) => value !== undefined))]
  })
