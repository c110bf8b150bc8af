import { sql } from 'kysely'
import type { ContainerSource } from '#platform/access/container-sources.ts'

/** How a request's statement finds a group, which is a row of `namespaces`. */
export const groupSource: ContainerSource = {
  kind: 'group',
  own: sql`select n.id, null::bigint as creator_id, n.settings`,
  nodeOf: (id) => id,
}
