import { type Static, Type } from 'typebox'
import { presentUserBasic, UserBasic, type UserBasicRow } from '#identity/users/basic.ts'
import { entity, integer, moment, nullable } from '#platform/http/schema.ts'
import { iso, isoOrNull } from '#platform/http/time.ts'

export const PREFIX = 'glptt-'

/** A token that starts pipelines. */
export const PipelineTrigger = entity('PipelineTrigger', {
  id: integer(),
  token: Type.String({ description: 'Whole for its owner; for others, its first characters.' }),
  description: Type.String(),
  created_at: moment(),
  updated_at: moment(),
  last_used: nullable(moment()),
  expires_at: nullable(moment()),
  owner: nullable(UserBasic),
})

export interface TriggerRow {
  readonly id: number
  readonly description: string
  /** Sealed. */
  readonly token: Buffer
  readonly owner_id: number | null
  readonly created_at: string
  readonly updated_at: string
  readonly last_used: string | null
  readonly expires_at: string | null
  readonly owner: UserBasicRow | null
}

/** @param token opened */
export function presentTrigger(
  row: TriggerRow,
  token: string,
  { site, viewerId }: { readonly site: string; readonly viewerId: number | null },
): Static<typeof PipelineTrigger> {
  const isOwn = row.owner_id !== null && row.owner_id === viewerId
  return {
    id: row.id,
    token: isOwn ? token : token.slice(PREFIX.length, PREFIX.length + 4),
    description: row.description,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    last_used: isoOrNull(row.last_used),
    expires_at: isoOrNull(row.expires_at),
    owner: row.owner === null ? null : presentUserBasic(row.owner, site),
  }
}
