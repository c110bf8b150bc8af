import { type RawBuilder, sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { containsWords } from '#platform/db/search.ts'
import { epicVisibleTo } from '#planning/epics/visible.ts'
import {
  assignedTo,
  assignedToNames,
  type Condition,
  has,
  isNoneOrAny,
  labelled,
  reactedTo,
} from '../conditions.ts'
import type { Filter } from '../filter-parameters.ts'
import type { Names } from './names.ts'
import { around, type IssueScope } from './scope.ts'

/** When issues changed last. */
export interface Within {
  readonly after?: string | undefined
  readonly before?: string | undefined
}

/** What one filter asks of an issue, and how PostgreSQL can find the issues that pass. */
export interface Narrowing {
  /** Whether an issue passes, asked of each. */
  readonly test: Condition
  /** How many issues are expected to pass: few enough to find them all, or so many that a page is found on the way. */
  readonly passes: 'few' | 'many'
  readonly source?: Source
  /** Whether the test bounds what some orders go by, so that their index helps. */
  readonly ranged?: true
  /** That it asks when an issue changed last, and nothing else. */
  readonly changed?: Within
}

/** An index that leads to the issues that pass. */
export interface Source {
  /** A query for the `id` of issues, each once. Issues that are not in it don't pass. */
  readonly ids: RawBuilder<unknown>
  /** Whether all issues in it pass, so that they need not be tested. */
  readonly exact: boolean
  /** About how many there are; unknown for a search. */
  readonly size?: number
  /** Whether the source may be much larger than what the list is about, so that it pays to look first. */
  readonly sampled?: true
  /** Whether it may lead to most issues, so that it is taken only if nothing else narrows the list. */
  readonly wide?: true
}

/** By the names of labels: the rarest leads to the issues. */
export function byLabels(names: readonly string[], known: Names, scope: IssueScope): Narrowing {
  const [rarest] = [...known.labels].toSorted(([, one], [, other]) => one.uses - other.uses)
  if (rarest === undefined) return { test: labelled(names, 'all'), passes: 'many' }
  const [name, { ids, uses }] = rarest
  // In several projects, and where a group and a project below it have a label of that name.
  const alike = sql`select distinct c.issue_id as id from labels l join issue_labels c on c.label_id = l.id
    where l.name = ${name} and ${around(scope, sql`l.namespace_id`)}`
  const source =
    ids.length === 1 ? sql`select c.issue_id as id from issue_labels c where c.label_id = ${ids[0]}` : alike
  return {
    test: labelTest(names, known),
    passes: 'few',
    source: { ids: source, exact: names.length === 1, size: uses },
  }
}

/** Where each name stands for one label, the labels of an issue need not be looked up. */
function labelTest(names: readonly string[], { labels }: Names): Condition {
  const ids = [...labels.values()].map((label) => label.ids)
  if (names.some((name) => !labels.has(name)) || ids.some(({ length }) => length !== 1)) {
    return labelled(names, 'all')
  }
  // The offset makes PostgreSQL read the labels of the issue, and not look for the issue among those of the labels.
  return sql<boolean>`((select count(*) from (select c.label_id from issue_labels c where c.issue_id = i.id offset 0) c
    where c.label_id = any(${ids.flat()}::bigint[])) = ${ids.length})`
}

/** By the usernames of assignees: the one with the fewest issues leads to them. */
export function byAssignees(usernames: readonly string[], known: Names): Narrowing {
  const test = assignedToNames(usernames, 'all')
  const [rarest] = [...known.assignees.values()].toSorted((one, other) => one.uses - other.uses)
  if (rarest === undefined) return { test, passes: 'many' }
  return {
    test,
    passes: 'few',
    source: { ...assignedIssues(rarest.id), exact: usernames.length === 1, size: rarest.uses },
  }
}

/** By the id of an assignee. */
export function byAssignee(user: number | 'None' | 'Any'): Narrowing {
  const test = assignedTo(user)
  if (typeof user !== 'number' || user === 0) return { test, passes: 'many' }
  return { test, passes: 'few', source: assignedIssues(user) }
}

const assignedIssues = (user: number): Source => ({
  ids: sql`select a.issue_id as id from issue_assignees a where a.user_id = ${user}`,
  exact: true,
})

/** By an epic that the viewer may see. */
export function byEpic(epic: number | 'None' | 'Any', viewer: Viewer): Narrowing {
  const rows = sql`select 1 from epic_issues ek join epics ee on ee.id = ek.epic_id
    join namespaces en on en.id = ee.group_id
    where ek.issue_id = i.id and ${epicVisibleTo(viewer, { epic: 'ee', node: 'en' })}`
  if (typeof epic !== 'number') return { test: has(epic === 'None' ? 'none' : 'any', rows), passes: 'many' }
  return {
    test: has('any', sql`${rows} and ee.id = ${epic}`),
    passes: 'few',
    source: { ids: sql`select k.issue_id as id from epic_issues k where k.epic_id = ${epic}`, exact: false },
  }
}

/** By an emoji that the user gave. */
export function byReaction(emoji: string, userId: number | null): Narrowing {
  const test = reactedTo(emoji, userId)
  if (emoji.toLowerCase() === 'none') return { test, passes: 'many' }
  const named = isNoneOrAny(emoji.toLowerCase()) ? sql`true` : sql`e.name = ${emoji}`
  const ids = sql`select distinct e.noteable_id as id from award_emoji e
    where e.user_id = ${userId ?? 0} and e.noteable_id is not null and ${named}`
  return { test, passes: 'few', source: { ids, exact: true } }
}

/** By words in some of the issue's parts, by default in all of them. */
export function byWords(term: string, parts: NonNullable<Filter['in']>): Narrowing {
  const matches = containsWords(
    's.search',
    term,
    parts.map((part) => (part === 'title' ? 'A' : 'B')),
  )
  return {
    test: has('any', sql`select 1 from issue_search s where s.issue_id = i.id and ${matches}`),
    passes: 'few',
    source: {
      ids: sql`select s.issue_id as id from issue_search s where ${matches}`,
      exact: true,
      sampled: true,
    },
  }
}
