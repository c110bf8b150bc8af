import { type RawBuilder, sql } from 'kysely'
import type { Condition } from './condition.ts'
import { type ListedKind, type PeopleTable, tablesOf } from './kind.ts'

export const nothing: Condition = sql<boolean>`false`
export const everything: Condition = sql<boolean>`true`

/** Items for which a condition is false or unknown. */
export const negated = (condition: Condition): Condition => sql<boolean>`(${condition}) is not true`

/** Items for which all of a fixed number of conditions hold. */
export const allOf = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? everything : sql<boolean>`(${sql.join(conditions, sql` and `)})`

type NoneOrAny = 'none' | 'any'
export const isNoneOrAny = (word: string): word is NoneOrAny => word === 'none' || word === 'any'

/**
 * Whether an item has any row of a kind, or none. The offset keeps PostgreSQL from making a join of it, which could begin with
 * the rows of all items.
 */
export const has = (word: NoneOrAny, rows: RawBuilder<unknown>): Condition =>
  word === 'any' ? sql<boolean>`exists (${rows} offset 0)` : sql<boolean>`not exists (${rows} offset 0)`

/** Whether an item must have all of several things, or none of them. */
export type Presence = 'all' | 'none'

/**
 * By the names of labels; `none` and `any` ask whether there is a label. The statement's text has two forms, for one
 * name and for several, whatever their number.
 */
export function labelled(of: ListedKind, names: readonly string[], wanted: Presence): Condition {
  const { labels, key } = tablesOf(of)
  const words = new Set(names.map((name) => name.toLowerCase()).filter(isNoneOrAny))
  const among = [...new Set(names.filter((name) => !isNoneOrAny(name.toLowerCase())))]
  const any = sql`select 1 from ${labels} c where c.${key} = i.id`
  const conditions = [...words].map((word) => (wanted === 'all' ? has(word, any) : negated(has(word, any))))
  return allOf([...conditions, ...(among.length > 0 ? [carrying(of, among, wanted)] : [])])
}

function carrying(of: ListedKind, names: readonly string[], wanted: Presence): Condition {
  const { labels, key } = tablesOf(of)
  const [first] = names
  const carried = sql`select 1 from ${labels} c join labels l on l.id = c.label_id where c.${key} = i.id`
  if (wanted === 'none') return has('none', sql`${carried} and l.name = any(${[...names]}::text[])`)
  const one = sql`${carried} and l.name = ${first}`
  if (names.length === 1) return has('any', one)
  // The mention of `l` makes PostgreSQL count the others only for items with the first label.
  return has(
    'any',
    sql`${one} and (select count(distinct o.name) from ${labels} oc join labels o on o.id = oc.label_id
      where oc.${key} = c.${key} and l.id is not null and o.name = any(${[...names]}::text[])) = ${names.length}`,
  )
}

/**
 * By the title of the milestone, or by a word such as `upcoming`.
 * @param usable says which milestones `m` these items can have, if that is known.
 */
export function inMilestone(title: string, today: string, usable = everything): Condition {
  const such = (condition: RawBuilder<unknown>) =>
    has('any', sql`select 1 from milestones m where m.id = i.milestone_id and ${condition}`)
  switch (title.toLowerCase()) {
    case 'none':
      return sql<boolean>`i.milestone_id is null`
    case 'any':
      return sql<boolean>`i.milestone_id is not null`
    case 'upcoming':
      return such(sql`m.state = 'active' and m.due_date > ${today}::date`)
    case 'started':
      return such(sql`m.state = 'active' and m.start_date <= ${today}::date`)
    default:
      // The array lets the index over milestones find the items.
      return sql<boolean>`i.milestone_id = any(array(select m.id from milestones m where m.title = ${title}
        and ${usable}))`
  }
}

export const writtenBy = (username: string): Condition =>
  sql<boolean>`i.author_id = (select u.id from users u where lower(u.username) = ${username.toLowerCase()})`

const peopleOf = ({ rows, key }: PeopleTable) => sql`select 1 from ${rows} a where a.${sql.ref(key)} = i.id`

/** By the id of a user among assignees or others; 0 and `None` match items without any, `Any` those with some. */
export function withPerson(people: PeopleTable, user: number | 'None' | 'Any'): Condition {
  const rows = peopleOf(people)
  if (user === 0 || user === 'None') return has('none', rows)
  if (user === 'Any') return has('any', rows)
  return has('any', sql`${rows} and a.user_id = ${user}`)
}

/** By username: all of these users are among assignees or others, or none of them. */
export function withPeople(people: PeopleTable, usernames: readonly string[], wanted: Presence): Condition {
  const names = [...new Set(usernames.map((name) => name.toLowerCase()))]
  const rows = peopleOf(people)
  const users = sql`select u.id from users u where lower(u.username) = any(${names}::text[])`
  if (wanted === 'none') return has('none', sql`${rows} and a.user_id = any(array(${users}))`)
  const one = sql`${rows} and a.user_id = (select u.id from users u where lower(u.username) = ${names[0]})`
  if (names.length === 1) return has('any', one)
  return has(
    'any',
    sql`${one} and (select count(*) from ${people.rows} o
      where o.${sql.ref(people.key)} = a.${sql.ref(people.key)} and o.user_id = any(array(${users}))) = ${names.length}`,
  )
}

/** By an emoji that the user gave; `none` and `any` ask whether there is one. */
export function reactedTo(emoji: string, userId: number | null): Condition {
  const word = emoji.toLowerCase()
  const rows = sql`select 1 from award_emoji e where e.noteable_id = i.id and e.user_id = ${userId ?? 0}`
  return isNoneOrAny(word) ? has(word, rows) : has('any', sql`${rows} and e.name = ${emoji}`)
}
