import { type RawBuilder, sql } from 'kysely'
import { containsWords, eachContainsWords } from '#platform/db/search.ts'
import type { IndexSource, ListFilter } from '#platform/lists/list-filter.ts'
import type { Condition } from './condition.ts'
import { has, isNoneOrAny, labelled, reactedTo, withPeople, withPerson } from './conditions.ts'
import { assigneesOf, type PeopleTable, tablesOf } from './kind.ts'
import { COUNTED_USES, type Names } from './names.ts'
import { inTree, type ListScope } from './scope.ts'

/** When items changed last. */
export interface Within {
  readonly after?: string | undefined
  readonly before?: string | undefined
}

/** What one filter asks of an item. */
export interface ItemFilter extends ListFilter {
  /** Whether the test bounds what some orders go by, so that their index helps. */
  readonly ranged?: true
  /** That it asks when an item changed last, and nothing else. */
  readonly changed?: Within
}

/** The items with the `id`s of a query, which may have ids of others. */
export const byIds = (ids: RawBuilder<unknown>): ItemFilter => ({
  test: sql<boolean>`i.id in (${ids})`,
  selectivity: 'few',
  source: { ids, exact: true },
})

/** By the names of labels: the rarest leads to the items. */
export function byLabels(names: readonly string[], known: Names, scope: ListScope): ItemFilter {
  const [rarest] = [...known.labels].toSorted(([, one], [, other]) => one.uses - other.uses)
  if (rarest === undefined) return { test: labelled(scope.of, names, 'all'), selectivity: 'many' }
  const [name, { ids, uses }] = rarest
  const { labels, key } = tablesOf(scope.of)
  // In several projects, and where a group and a project below it have a label of that name.
  const alike = sql`select distinct c.${key} as id from labels l join ${labels} c on c.label_id = l.id
    where l.name = ${name} and ${inTree(scope, sql`l.namespace_id`)}`
  const source =
    ids.length === 1 ? sql`select c.${key} as id from ${labels} c where c.label_id = ${ids[0]}` : alike
  return {
    test: labelTest(names, known, scope),
    selectivity: 'few',
    source: { ids: source, exact: names.length === 1, size: uses },
  }
}

/** Where each name stands for one label, the labels of an item need not be looked up. */
function labelTest(names: readonly string[], { labels }: Names, { of }: ListScope): Condition {
  const { labels: carried, key } = tablesOf(of)
  const ids = [...labels.values()].map((label) => label.ids)
  if (names.some((name) => !labels.has(name)) || ids.some(({ length }) => length !== 1)) {
    return labelled(of, names, 'all')
  }
  // The offset makes PostgreSQL read the labels of the item, and not look for the item among those of the labels.
  return sql<boolean>`((select count(*) from (select c.label_id from ${carried} c where c.${key} = i.id offset 0) c
    where c.label_id = any(${ids.flat()}::bigint[])) = ${ids.length})`
}

/** By the usernames of assignees: the one with the fewest items leads to them. */
export function byAssignees(usernames: readonly string[], known: Names, { of }: ListScope): ItemFilter {
  const people = assigneesOf(of)
  const test = withPeople(people, usernames, 'all')
  const [rarest] = [...known.assignees.values()].toSorted((one, other) => one.uses - other.uses)
  if (rarest === undefined) return { test, selectivity: 'many' }
  return {
    test,
    selectivity: 'few',
    source: { ...itemsOf(people, rarest.id), exact: usernames.length === 1, size: rarest.uses },
  }
}

/** By the id of who wrote it. Over all projects, the index by authors leads to them. */
export function byAuthor(author: number, { kind, of }: ListScope): ItemFilter {
  const test = sql<boolean>`i.author_id = ${author}`
  if (kind !== 'instance') return { test, selectivity: 'few' }
  const ids = sql`select x.id from ${tablesOf(of).items} x where x.author_id = ${author}`
  return { test, selectivity: 'few', source: { ids, exact: true, size: COUNTED_USES } }
}

/** By the id of an assignee, or of another of its people. */
export function byPerson(people: PeopleTable, user: number | 'None' | 'Any'): ItemFilter {
  const test = withPerson(people, user)
  if (typeof user !== 'number' || user === 0) return { test, selectivity: 'many' }
  return { test, selectivity: 'few', source: itemsOf(people, user) }
}

const itemsOf = ({ rows, key }: PeopleTable, user: number): IndexSource => ({
  ids: sql`select a.${sql.ref(key)} as id from ${rows} a where a.user_id = ${user}`,
  exact: true,
})

/** By an emoji that the user gave. */
export function byReaction(emoji: string, userId: number | null): ItemFilter {
  const test = reactedTo(emoji, userId)
  if (emoji.toLowerCase() === 'none') return { test, selectivity: 'many' }
  const named = isNoneOrAny(emoji.toLowerCase()) ? sql`true` : sql`e.name = ${emoji}`
  const ids = sql`select distinct e.noteable_id as id from award_emoji e
    where e.user_id = ${userId ?? 0} and e.noteable_id is not null and ${named}`
  return { test, selectivity: 'few', source: { ids, exact: true } }
}

/** By words in some of the item's parts, by default in all of them. */
export function byWords(
  term: string,
  parts: readonly ('title' | 'description')[],
  { of }: ListScope,
): ItemFilter {
  const { search, key } = tablesOf(of)
  const weights = parts.map((part) => (part === 'title' ? 'A' : 'B'))
  const matches = containsWords('s.search', term, weights)
  const each = eachContainsWords('s.search', term, weights)
  return {
    test: has('any', sql`select 1 from ${search} s where s.${key} = i.id and ${matches}`),
    selectivity: 'few',
    source: {
      ids: sql`select s.${key} as id from ${search} s where ${matches}`,
      exact: true,
      // Next to each other in the index, the rows are found in one go. Asked whether it is true, PostgreSQL leaves the index of
      // words alone, which would have it read every entry of a common word.
      among: (ids) =>
        sql`select s.${key} as id from ${search} s where s.${key} = any(array(${ids})) and (${each}) is true`,
    },
  }
}
