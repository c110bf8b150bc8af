import { type Static, type TObject, Type } from 'typebox'
import { Check } from 'typebox/schema'
import { nullable, oneOf } from '#platform/http/schema.ts'

/** The three JSON columns of `users`: stored whole, never searched. Absent fields have their defaults. */

const said = Type.Optional(nullable(Type.String()))

/** What people write about themselves. */
export const Profile = Type.Object({
  bio: said,
  location: said,
  linkedin: said,
  twitter: said,
  discord: said,
  github: said,
  website_url: said,
  organization: said,
  job_title: said,
  pronouns: said,
})

/** How people want pages to look and behave. */
export const Preferences = Type.Object({
  theme_id: Type.Optional(Type.Integer()),
  color_scheme_id: Type.Optional(Type.Integer()),
  view_diffs_file_by_file: Type.Optional(Type.Boolean()),
  show_whitespace_in_diffs: Type.Optional(Type.Boolean()),
  pass_user_identities_to_ci_jwt: Type.Optional(Type.Boolean()),
})

export const availabilities = ['not_set', 'busy'] as const

/** What people are doing; it counts until `clear_status_at`. */
export const Status = Type.Object({
  emoji: said,
  message: said,
  availability: Type.Optional(oneOf(availabilities)),
  clear_status_at: said,
})

export type Profile = Static<typeof Profile>
export type Preferences = Static<typeof Preferences>
export type Status = Static<typeof Status>

const reader =
  <S extends TObject>(schema: S) =>
  (stored: unknown): Static<S> => {
    if (Check(schema, stored)) return stored
    throw new Error('A JSON column of users would hold what no version writes')
  }

export const profileOf = reader(Profile)
export const preferencesOf = reader(Preferences)
export const statusOf = reader(Status)

/** The stored JSON of a column, overwritten by the `changes` that its schema has. */
export function merged(schema: TObject, stored: object, changes: object): object {
  const given = Object.entries(changes).filter(
    ([name, value]) => value !== undefined && Object.hasOwn(schema.properties, name),
  )
  return { ...stored, ...Object.fromEntries(given) }
}
