import { type RawBuilder, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { avatarUrl } from '#identity/avatars/avatar-url.ts'
import type { UserState } from '#platform/db/schema.ts'
import { flat } from '#platform/http/flat.ts'
import { entity, integer, nullable } from '#platform/http/schema.ts'

/** A user as part of other resources. */
export const UserBasic = entity('UserBasic', {
  id: integer(),
  username: Type.String(),
  public_email: nullable(Type.String()),
  name: Type.String(),
  state: Type.String(),
  locked: Type.Boolean(),
  avatar_url: nullable(Type.String()),
  web_url: Type.String(),
})

/** The columns of `users` that {@link presentUserBasic} needs. */
export const userBasicColumns = ['id', 'username', 'public_email', 'name', 'state', 'avatar'] as const

export interface UserBasicRow {
  readonly id: number
  readonly username: string
  readonly public_email: string | null
  readonly name: string
  readonly state: UserState
  /** The key of the avatar. */
  readonly avatar: string | null
}

/** Those columns as JSON, in statements about other rows; `user` is the alias of `users`. */
export function userBasicJson(user: string): RawBuilder<UserBasicRow> {
  const of = (column: string) => sql.ref(`${user}.${column}`)
  return sql`json_build_object('id', ${of('id')}, 'username', ${of('username')}, 'public_email', ${of('public_email')},
    'name', ${of('name')}, 'state', ${of('state')}, 'avatar', ${of('avatar')})`
}

/** @param site where the web pages live: `req.site`. */
export function presentUserBasic(row: UserBasicRow, site: string): Static<typeof UserBasic> {
  return {
    id: row.id,
    username: row.username,
    public_email: row.public_email,
    name: row.name,
    state: row.state,
    locked: false,
    avatar_url: avatarUrl(site, 'user', row.id, row.avatar),
    web_url: flat`${site}/${row.username}`,
  }
}
