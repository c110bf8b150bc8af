import { type Static, Type } from 'typebox'
import { entity, integer, moment, nullable } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { presentUserBasic, UserBasic, type UserBasicRow } from '#identity/users/basic.ts'

/** Something that a service took for spam, as administrators see it. */
export const SpamLog = entity('SpamLog', {
  id: integer(),
  user: UserBasic,
  source_ip: nullable(Type.String()),
  user_agent: nullable(Type.String()),
  noteable_type: Type.String({ description: '`Issue`, `ProjectSnippet`, `PersonalSnippet` or `Note`.' }),
  title: nullable(Type.String()),
  description: Type.String({ description: 'The first 65,535 characters.' }),
  recaptcha_verified: Type.Boolean({ description: 'Whether the person solved the CAPTCHA.' }),
  created_at: moment(),
})

export interface SpamLogRow {
  readonly id: number
  readonly user: UserBasicRow
  readonly source_ip: string | null
  readonly user_agent: string | null
  readonly noteable_type: string
  readonly title: string | null
  readonly description: string
  readonly recaptcha_verified: boolean
  readonly created_at: string
}

export const presentSpamLog = (row: SpamLogRow, site: string): Static<typeof SpamLog> => ({
  id: row.id,
  user: presentUserBasic(row.user, site),
  source_ip: row.source_ip,
  user_agent: row.user_agent,
  noteable_type: row.noteable_type,
  title: row.title,
  description: row.description,
  recaptcha_verified: row.recaptcha_verified,
  created_at: iso(row.created_at),
})
