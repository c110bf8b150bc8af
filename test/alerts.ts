import { sql } from 'kysely'
import { insertNoteables } from '#planning/noteables/insert-noteables.ts'
import { type Place, w } from './world.ts'

let serial = 0

/** An alert that is a row alone: nobody reported it. @returns its path */
export async function alertRow({
  id,
  ...place
}: Pick<Place, 'id'> & { readonly namespaceId: number }): Promise<string> {
  const now = new Date().toISOString()
  const iid = (serial += 1) + 1_000_000
  await sql`
    with alert as (
      insert into alerts (project_id, iid, title, severity, status, events, fingerprint, fingerprinted, payload_kind, hosts,
        payload, started_at, created_at, last_event_at)
      values (${id}, ${iid}, 'A row', 'high', 'triggered', 1, ${String(iid).padStart(40, '0')}, false, 'generic', '{}', '{}',
        ${now}, ${now}, ${now}) returning id
    ), noteable as ${insertNoteables('alert', { kind: 'alert', namespaceId: place.namespaceId, updatedAt: now })}
    select 1`.execute(w.db)
  return `/projects/${id}/alert_management_alerts/${iid}`
}

/** A PNG of one pixel. */
export const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** The body of a new picture. */
export function picture(fields: Readonly<Record<string, string>> = {}, bytes = pixel): FormData {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(bytes)]), 'load.png')
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}
