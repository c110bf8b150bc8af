import { type Static, Type } from 'typebox'
import { entity, integer, moment, nullable } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { presentUserBasic, UserBasic, type UserBasicRow } from '#identity/users/basic.ts'

/** A user's reaction to something, as the API presents it. */
export const AwardEmoji = entity('AwardEmoji', {
  id: integer(),
  name: Type.String(),
  user: UserBasic,
  created_at: moment(),
  updated_at: moment(),
  awardable_id: integer(),
  awardable_type: Type.String({ description: '`Note`, or as the `noteable_type` of notes.' }),
  url: nullable(Type.String({ description: 'Always null: there are no custom emoji.' })),
})

export interface AwardRow {
  readonly id: number
  readonly name: string
  readonly user_id: number
  readonly user: UserBasicRow
  readonly created_at: string
  readonly updated_at: string
  readonly awardable_id: number
  readonly awardable_type: string
}

/** @param site where the web pages live: `req.site`. */
export function presentAward(row: AwardRow, site: string): Static<typeof AwardEmoji> {
  return {
    id: row.id,
    name: row.name,
    user: presentUserBasic(row.user, site),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    awardable_id: row.awardable_id,
    awardable_type: row.awardable_type,
    url: null,
  }
}
