import { sql } from 'kysely'
import { type TSchema, Type } from 'typebox'
import type { Db } from '#platform/db/pool.ts'
import { entity, integer, moment } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { definitions, type Settings } from './definitions.ts'

type ApplicationSettings = Settings & {
  readonly id: number
  readonly created_at: string
  readonly updated_at: string
}

/** All settings with their descriptions, as parts of the two schemas below. */
const properties = (): Record<string, TSchema> =>
  Object.fromEntries(
    [...definitions()].map(([name, definition]) => [
      name,
      { ...definition.schema, description: describe(definition) },
    ]),
  )

function describe({ about, default: standard }: { readonly about: string; readonly default: unknown }) {
  return `${about} Default: \`${JSON.stringify(standard)}\`.`
}

/** The settings of the instance, as on the wire. Made once the features have named theirs. */
export const applicationSettings = () =>
  Type.Unsafe<ApplicationSettings>(
    entity('ApplicationSettings', {
      id: integer(),
      ...properties(),
      created_at: moment(),
      updated_at: moment(),
    }),
  )

/** Any of the settings: the body of a change. `Type.Partial` says the same, and takes a tenth of a start. */
export const settingsChanges = () => {
  const optional = Object.entries(properties()).map(
    ([name, schema]) => [name, Type.Optional(schema)] as const,
  )
  return Type.Unsafe<Partial<Settings>>(Type.Object(Object.fromEntries(optional)))
}

/** The settings with the moments when the instance was made and when a setting last changed. */
export async function presentSettings(db: Db, settings: Settings): Promise<ApplicationSettings> {
  const { rows } = await sql<{ created_at: string; updated_at: string }>`
    select created_at, coalesce((select max(updated_at) from settings), created_at) as updated_at
    from (select applied_at::timestamptz(3) as created_at from migrations where number = 1) as made`.execute(
    db,
  )
  const [moments] = rows
  if (moments === undefined) throw new Error('The first migration is not on record')
  return {
    id: 1,
    ...settings,
    created_at: iso(moments.created_at),
    updated_at: iso(moments.updated_at),
  }
}
