import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { type Params, statement } from '#platform/db/statement.ts'
import { onlyOne } from '#platform/sequences.ts'
import { isNoneOrAny } from './conditions.ts'
import type { SharedFilter } from './shared-filter.ts'
import { assigneesOf, tablesOf } from './kind.ts'
import { inTree, type ListScope } from './scope.ts'

/** What the names in a filter stand for. */
export interface Names {
  readonly author?: number | undefined
  /** By the names in lower case. */
  readonly assignees: ReadonlyMap<string, Person>
  readonly labels: ReadonlyMap<string, NamedLabels>
  /** The ids of other users, by their names in lower case. */
  readonly users: ReadonlyMap<string, number>
}

/** The labels of one name. */
export interface NamedLabels {
  /** Their ids, when the list is about one project. */
  readonly ids: readonly number[]
  /** How many items have them, up to {@link COUNTED_USES}. */
  readonly uses: number
}

interface Person {
  readonly id: number
  /** How many items are assigned to them, up to {@link COUNTED_USES}. */
  readonly uses: number
}

const NOTHING_NAMED: Names = { assignees: new Map(), labels: new Map(), users: new Map() }

/** Uses are counted to find out which of several names is the rarest. */
export const COUNTED_USES = 10_000

interface Wanted {
  readonly labels: readonly string[]
  readonly assignees: readonly string[]
  readonly author: string
  /** The names of other users. */
  readonly users: readonly string[]
  readonly milestone: string
  /** Of a project or group. */
  readonly path: readonly number[]
  readonly group: number
}

interface Found {
  readonly author: number | null
  readonly assignees: readonly { readonly name: string; readonly id: number; readonly uses: number }[]
  readonly labels: readonly (NamedLabels & { readonly name: string })[]
  readonly users: readonly { readonly name: string; readonly id: number }[]
  readonly milestone: boolean
}

/**
 * Looks up the names in a filter before the list itself is asked.
 * @param otherUsers the names of users in further filters; absent and blank ones do not count.
 * @returns undefined when no item can have all that is named, so that nothing else has to be asked.
 */
export async function namesIn(
  db: Db,
  filter: SharedFilter,
  scope: ListScope,
  otherUsers: readonly (string | undefined)[] = [],
): Promise<Names | undefined> {
  const wanted = {
    labels: distinct(filter.labels ?? []).filter((name) => !isNoneOrAny(name.toLowerCase())),
    assignees: distinct((filter.assignee_username ?? []).map((name) => name.toLowerCase())),
    author: (filter.author_username ?? '').toLowerCase(),
    users: distinct(
      otherUsers.flatMap((name) => (name === undefined || name === '' ? [] : [name.toLowerCase()])),
    ),
    milestone: isTitle(filter.milestone) ? filter.milestone : '',
    path: scope.kind === 'instance' ? [] : scope.path,
    group: scope.kind === 'group' ? scope.id : 0,
  }
  const { labels, assignees, author, milestone, users } = wanted
  if (labels.length + assignees.length + users.length === 0 && author === '' && milestone === '')
    return NOTHING_NAMED
  const found = onlyOne(await lookUp(db, wanted, { of: scope.of, kind: scope.kind }))
  const known =
    found.labels.every(({ uses }) => uses > 0) &&
    found.assignees.length === assignees.length &&
    found.users.length === users.length &&
    (author === '' || found.author !== null) &&
    (milestone === '' || found.milestone)
  if (!known) return undefined
  return {
    author: found.author ?? undefined,
    assignees: new Map(found.assignees.map(({ name, id, uses }) => [name, { id, uses }])),
    labels: new Map(found.labels.map(({ name, ...labels }) => [name, labels])),
    users: new Map(found.users.map(({ name, id }) => [name, id])),
  }
}

const distinct = (names: readonly string[]) => [...new Set(names)]

/** Words that ask for something else than a milestone of that title. */
const words = new Set(['none', 'any', 'upcoming', 'started'])
export const isTitle = (title: string | undefined): title is string =>
  title !== undefined && title !== '' && !words.has(title.toLowerCase())

const lookUp = statement({
  name: 'names in a filter',
  build: (_, param: Params<Wanted>, { of, kind }: Pick<ListScope, 'of' | 'kind'>) => {
    const surroundings = { kind, path: param('path'), id: param('group') }
    const labels = sql`labels l where l.name = wanted.name and ${inTree(surroundings, sql`l.namespace_id`)}`
    const ids = kind === 'project' ? sql`array(select l.id from ${labels})` : sql`'{}'::bigint[]`
    const uses = (rows: RawBuilder<unknown>) =>
      sql`(select count(*) from (${rows} limit ${sql.lit(COUNTED_USES)}) used)`
    return sql<Found>`select
      (select u.id from users u where lower(u.username) = ${param('author')}) as author,
      (select coalesce(jsonb_agg(jsonb_build_object('name', lower(u.username), 'id', u.id, 'uses',
          ${uses(sql`select 1 from ${assigneesOf(of).rows} a where a.user_id = u.id`)})), '[]')
        from users u where lower(u.username) = any(${param('assignees')}::text[])) as assignees,
      (select coalesce(jsonb_agg(jsonb_build_object('name', lower(u.username), 'id', u.id)), '[]')
        from users u where lower(u.username) = any(${param('users')}::text[])) as users,
      (select coalesce(jsonb_agg(jsonb_build_object('name', wanted.name, 'ids', ${ids}, 'uses',
          ${uses(sql`select 1 from (select l.id from ${labels}) l join ${tablesOf(of).labels} c on c.label_id = l.id`)})), '[]')
        from unnest(${param('labels')}::text[]) as wanted (name)) as labels,
      exists (select 1 from milestones m
        where m.title = ${param('milestone')} and ${inTree(surroundings, sql`m.namespace_id`)}) as milestone`
  },
})
