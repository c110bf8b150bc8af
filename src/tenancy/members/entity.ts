import { type Static, Type } from 'typebox'
import type { Viewer } from '#platform/access/viewer.ts'
import type { UserKind } from '#platform/db/schema.ts'
import { entity, integer, nullable } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { onlyOne } from '#platform/sequences.ts'
import { presentUserBasic, UserBasic, type UserBasicRow } from '#identity/users/basic.ts'

/** A member of a group or project: the user and the terms of the membership. */
export const Member = entity('Member', {
  ...UserBasic.properties,
  access_level: integer(),
  created_at: Type.String(),
  created_by: nullable(UserBasic),
  expires_at: nullable(Type.String()),
  /** Only for administrators. */
  email: Type.Optional(nullable(Type.String())),
  membership_state: Type.String(),
  /** On request. */
  is_using_seat: Type.Optional(Type.Boolean()),
})

export interface MemberRow extends UserBasicRow {
  readonly kind: UserKind
  readonly email: string
  readonly access_level: number
  readonly expires_at: string | null
  readonly member_since: string
  readonly creator: UserBasicRow | null
}

interface Looking {
  readonly viewer: Viewer
  /** Where the web pages live: `req.site`. */
  readonly site: string
}

/** @param withSeats adds whether each takes a seat of the license, as people do who can sign in. */
export function presentMembers(
  rows: readonly MemberRow[],
  { viewer, site }: Looking,
  withSeats = false,
): Static<typeof Member>[] {
  return rows.map((row) => ({
    ...presentUserBasic(row, site),
    access_level: row.access_level,
    created_at: iso(row.member_since),
    created_by: row.creator && presentUserBasic(row.creator, site),
    expires_at: row.expires_at,
    ...(viewer.admin ? { email: row.email } : {}),
    membership_state: 'active',
    ...(withSeats ? { is_using_seat: row.kind === 'human' && row.state === 'active' } : {}),
  }))
}

export function presentMember(row: MemberRow, looking: Looking): Static<typeof Member> {
  return onlyOne(presentMembers([row], looking))
}
