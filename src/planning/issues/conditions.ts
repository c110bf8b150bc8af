import { type RawBuilder, sql } from 'kysely'
import type { Filter } from './filter-parameters.ts'

/** A condition on an issue, which the query has as `i`. */
export type Condition = RawBuilder<boolean>

export const nothing: Condition = sql<boolean>`false`
export const everything: Condition = sql<boolean>`true`

/** Issues for which a condition is false or unknown. */
export const negated = (condition: Condition): Condition => sql<boolean>`(${condition}) is not true`

/** Issues for which all of a fixed number of conditions hold. */
export const allOf = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? everything : sql<boolean>`(${sql.join(conditions, sql` and `)})`

type NoneOrAny = 'none' | 'any'
export const isNoneOrAny = (word: string): word is NoneOrAny => word === 'none' || word === 'any'

/**
 * Whether an issue has any row of a kind, or none. The offset keeps PostgreSQL from making a join of it, which could begin with
 * the rows of all issues.
 */
export const has = (word: NoneOrAny, rows: RawBuilder<unknown>): Condition =>
  word === 'any' ? sql<boolean>`exists (${rows} offset 0)` : sql<boolean>`not exists (${rows} offset 0)`

/** Whether an issue must have all of several things, or none of them. */
export type Presence = 'all' | 'none'

/**
 * By the names of labels; `none` and `any` ask whether there is a label. The statement's text has two forms, for one
 * name and for several, whatever their number.
 */
export function labelled(names: readonly string[], wanted: Presence): Condition {
  const words = new Set(names.map((name) => name.toLowerCase()).filter(isNoneOrAny))
  const among = [...new Set(names.filter((name) => !isNoneOrAny(name.toLowerCase())))]
  const any = sql`select 1 from issue_labels c where c.issue_id = i.id`
  const conditions = [...words].map((word) => (wanted === 'all' ? has(word, any) : negated(has(word, any))))
  return allOf([...conditions, ...(among.length > 0 ? [carrying(among, wanted)] : [])])
}

function carrying(names: readonly string[], wanted: Presence): Condition {
  const [first] = names
  const carried = sql`select 1 from issue_labels c join labels l on l.id = c.label_id where c.issue_id = i.id`
  if (wanted === 'none') return has('none', sql`${carried} and l.name = any(${[...names]}::text[])`)
  const one = sql`${carried} and l.name = ${first}`
  if (names.length === 1) return has('any', one)
  // The mention of `l` makes PostgreSQL count the others only for issues with the first label.
  return has(
    'any',
    sql`${one} and (select count(distinct o.name) from issue_labels oc join labels o on o.id = oc.label_id
      where oc.issue_id = c.issue_id and l.id is not null and o.name = any(${[...names]}::text[])) = ${names.length}`,
  )
}

/**
 * By the title of the milestone, or by a word such as `upcoming`.
 * @param usable says which milestones `m` these issues can have, if that is known.
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
      // The array lets the index over milestones find the issues.
      return sql<boolean>`i.milestone_id = any(array(select m.id from milestones m where m.title = ${title}
        and ${usable}))`
  }
}

export const writtenBy = (username: string): Condition =>
  sql<boolean>`i.author_id = (select u.id from users u where lower(u.username) = ${username.toLowerCase()})`

/** By id; 0 and `None` match unassigned issues, `Any` matches assigned ones. */
export function assignedTo(user: number | 'None' | 'Any'): Condition {
  const rows = sql`select 1 from issue_assignees a where a.issue_id = i.id`
  if (user === 0 || user === 'None') return has('none', rows)
  if (user === 'Any') return has('any', rows)
  return has('any', sql`${rows} and a.user_id = ${user}`)
}

/** By username: all of these users are assigned, or none of them. */
export function assignedToNames(usernames: readonly string[], wanted: Presence): Condition {
  const names = [...new Set(usernames.map((name) => name.toLowerCase()))]
  const rows = sql`select 1 from issue_assignees a where a.issue_id = i.id`
  const people = sql`select u.id from users u where lower(u.username) = any(${names}::text[])`
  if (wanted === 'none') return has('none', sql`${rows} and a.user_id = any(array(${people}))`)
  const one = sql`${rows} and a.user_id = (select u.id from users u where lower(u.username) = ${names[0]})`
  if (names.length === 1) return has('any', one)
  return has(
    'any',
    sql`${one} and (select count(*) from issue_assignees o
      where o.issue_id = a.issue_id and o.user_id = any(array(${people}))) = ${names.length}`,
  )
}

/** By an emoji that the user gave; `none` and `any` ask whether there is one. */
export function reactedTo(emoji: string, userId: number | null): Condition {
  const word = emoji.toLowerCase()
  const rows = sql`select 1 from award_emoji e where e.noteable_id = i.id and e.user_id = ${userId ?? 0}`
  return isNoneOrAny(word) ? has(word, rows) : has('any', sql`${rows} and e.name = ${emoji}`)
}

export function weighing(weight: number | 'None' | 'Any'): Condition {
  if (weight === 'None') return sql<boolean>`i.weight is null`
  if (weight === 'Any') return sql<boolean>`i.weight is not null`
  return sql<boolean>`i.weight = ${weight}`
}

/** By due date relative to a day; weeks start on Mondays. */
export function due(when: NonNullable<Filter['due_date']>, today: string): Condition {
  const day = sql`${today}::date`
  const between = (from: RawBuilder<unknown>, to: RawBuilder<unknown>) =>
    sql<boolean>`i.due_date between (${from})::date and (${to})::date`
  const week = sql`date_trunc('week', ${day}::timestamp)`
  const month = sql`date_trunc('month', ${day}::timestamp)`
  switch (when) {
    case '':
      return everything
    case '0':
      return sql<boolean>`i.due_date is null`
    case 'any':
      return sql<boolean>`i.due_date is not null`
    case 'overdue':
      return sql<boolean>`i.due_date < ${day}`
    case 'today':
      return sql<boolean>`i.due_date = ${day}`
    case 'tomorrow':
      return sql<boolean>`i.due_date = ${day} + 1`
    case 'week':
      return between(week, sql`${week} + interval '6 days'`)
    case 'month':
      return between(month, sql`${month} + interval '1 month - 1 day'`)
    case 'next_month_and_previous_two_weeks':
      return between(sql`${day} - 14`, sql`${month} + interval '2 months - 1 day'`)
  }
}
