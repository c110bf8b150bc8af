import { type RawBuilder, sql } from 'kysely'
import type { Condition } from '#planning/noteables/list/condition.ts'
import { everything } from '#planning/noteables/list/conditions.ts'
import type { Filter } from './filter-parameters.ts'

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
