import { sql } from 'kysely'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Db } from '#platform/db/pool.ts'
import type { AskedOptions } from './asked-options.ts'

interface Person {
  readonly id: number
  readonly username: string
}

/** The milestone of the project, or of a group above it, with a title. @param remarks is told when there is none */
export async function milestoneNamed(
  db: Db,
  { container }: Pick<AuthorizedProject, 'container'>,
  title: string | undefined,
  remarks: string[],
): Promise<number | undefined> {
  if (title === undefined) return undefined
  const found = await db
    .selectFrom('milestones')
    .select('id')
    .where('title', '=', title)
    .where(isAnyOf('namespace_id', container.traversal_ids))
    // That of the project first.
    .orderBy(sql`namespace_id = ${container.namespace_id}`, 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (found === undefined) remarks.push(`there is no milestone ${title}.`)
  return found?.id
}

/** The ids of all assignees as they shall be; undefined where they stay. @param remarks is told of people who are not there */
export async function assigneesAfter(
  db: Db,
  before: readonly Person[],
  { assign, unassign }: Pick<AskedOptions, 'assign' | 'unassign'>,
  remarks: string[],
): Promise<number[] | undefined> {
  if (assign.length === 0 && unassign.length === 0) return undefined
  const people = await peopleNamed(db, [...assign, ...unassign])
  const named = (name: string): readonly Person[] => {
    const wanted = plainName(name)
    const found = people.filter(
      ({ id, username }) => username.toLowerCase() === wanted || String(id) === wanted,
    )
    if (found.length === 0) remarks.push(`there is nobody with the username or id ${name}.`)
    return found.slice(0, 1)
  }
  const gone = unassign.flatMap(named).map(({ id }) => id)
  const all = [...before, ...assign.flatMap(named)].map(({ id }) => id)
  return [...new Set(all)].filter((id) => !gone.includes(id))
}

const plainName = (name: string): string => name.replace(/^@/, '').toLowerCase()

const isId = (name: string): boolean => /^\d{1,15}$/.test(name)

async function peopleNamed(db: Db, names: readonly string[]): Promise<readonly Person[]> {
  const wanted = names.map(plainName)
  const ids = wanted.filter(isId).map(Number)
  return db
    .selectFrom('users')
    .select(['id', 'username'])
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`(lower(username) = any(${wanted}::text[]) or id = any(${ids}::bigint[]))`)
    .execute()
}
