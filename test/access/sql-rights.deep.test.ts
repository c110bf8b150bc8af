// Features add their abilities when they are installed.
import '#app.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { groupRule, type ProjectAbility, projectRule } from '#platform/access/abilities.ts'
import { projectFeatureLevels } from '#platform/access/project-features.ts'
import { projectFeatureOpen, projectFeatureOpenAt } from '#platform/access/project-feature-rules.ts'
import { findContainer } from '#platform/access/containers.ts'
import { levels } from '#platform/access/roles.ts'
import { readers, type AccessContext } from '#platform/access/access-context.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { visibleProjects } from '#platform/access/visible-projects.ts'
import {
  archivedAt,
  archivedIn,
  directLevelAt,
  groupVisibleTo,
  decidingOnce,
  hasLevel,
  inheritedLevelAt,
  levelAt,
  readableBy,
  readsBelow,
  visibleTo,
} from '#platform/access/visible.ts'
import { codeReadableAt } from '#code/repositories/abilities.ts'
import { createScratchDatabase, type ScratchDatabase } from '#test/scratch-database.ts'
import {
  ABOVE,
  levelsOf,
  nodes,
  type Node,
  people,
  type Person,
  populate,
  accessContextOf,
  TODAY,
} from './sql-rights.ts'
// Installs the features.
import '#app.ts'

// Rights are decided twice: for one place in TypeScript, for lists in SQL. Here each combination of what decides is a
// cell, and both must say the same in every one.

let database: ScratchDatabase

beforeAll(async () => {
  database = await createScratchDatabase()
  await populate(database.db)
  await database.pool.query('analyze')
}, 180_000)
afterAll(() => database[Symbol.asyncDispose]())

type From = NonNullable<Parameters<typeof accessContextOf>[2]>

const viewerOf = ({ id, admin, external }: Person, from: From = 'anywhere'): Viewer => ({
  id,
  admin,
  external,
  today: TODAY,
  closed: from === 'outside' ? [ABOVE] : [],
})

/** What the rules say of a cell, by the name of what is asked. */
function inMemory(person: Person, node: Node, from: From): Record<string, unknown> {
  const standing = accessContextOf(person, node, from)
  const { direct, inherited } = levelsOf(person)
  const above: AccessContext = { ...standing, readsBelow: false }
  const present = !node.deleted
  const project = node.kind === 'project'
  const can = (ability: ProjectAbility) =>
    present && project && readers(standing) && projectRule(ability)(standing)
  const visible = present && readers(above)
  const groupVisible = present && (project ? readers(above) : groupRule('read_group')(standing))
  return {
    level: standing.level,
    direct,
    inherited,
    visible,
    group_visible: groupVisible,
    decided_once: [visible, groupVisible, standing.level >= levels.planner],
    at_least: Object.values(levels).filter((level) => level >= levels.guest && standing.level >= level),
    reads_below: present && !project && standing.readsBelow,
    archived: standing.archived,
    archived_in_lists: standing.archived,
    issues: !project || projectFeatureOpen('issues', standing),
    pages: !project || projectFeatureOpen('pages', standing),
    wiki: !project || projectFeatureOpen('wiki', standing),
    download_code: can('download_code'),
    read_issue: can('read_issue'),
    read_confidential_issue: can('read_confidential_issue'),
    listed: can('read_issue') ? { trusted: can('read_confidential_issue') } : null,
  }
}

/** The same for all places, as statements have it. */
async function inSql(person: Person, from: From): Promise<Map<number, Record<string, unknown>>> {
  const viewer = viewerOf(person, from)
  const open = (feature: 'issues' | 'pages' | 'wiki') =>
    sql`(p.id is null or ${projectFeatureOpenAt(feature, 'p.settings', 'n', viewer)})`
  const issues = sql`(p.id is not null and ${visibleTo('n', viewer)} and ${open('issues')})`
  const fromPlanner = viewer.admin ? sql`true` : hasLevel('n', viewer, levels.planner)
  const atLeast = Object.values(levels)
    .filter((level) => level >= levels.guest)
    .map((level) => sql`case when ${hasLevel('n', viewer, level)} then ${sql.lit(level)}::integer end`)
  const { rows } = await sql<Record<string, unknown> & { id: number }>`
    select n.id, ${levelAt('n', viewer)} as level, ${directLevelAt('n', viewer)} as direct,
      ${inheritedLevelAt('n', viewer)} as inherited, ${visibleTo('n', viewer)} as visible,
      ${groupVisibleTo('n', viewer)} as group_visible,
      ${decidingOnce(
        viewer,
        (once) => sql<boolean[]>`array[${visibleTo('n', once)}, ${groupVisibleTo('n', once)},
          ${hasLevel('n', once, levels.planner)}]`,
      )} as decided_once,
      array_remove(array[${sql.join(atLeast)}]::integer[], null) as at_least,
      n.deleted_at is null and n.kind = 'group'
        and (${levelAt('n', viewer)} >= ${levels.guest} or ${readsBelow('n', viewer)}) as reads_below,
      ${archivedAt('n')} as archived, ${archivedIn('n')} as archived_in_lists,
      ${open('issues')} as issues, ${open('pages')} as pages, ${open('wiki')} as wiki,
      p.id is not null and ${visibleTo('n', viewer)} and ${codeReadableAt('p.settings', 'n', viewer)} as download_code,
      ${issues} as read_issue, ${issues} and ${fromPlanner} as read_confidential_issue
    from namespaces n left join projects p on p.project_namespace_id = n.id
    where n.id = any(${nodes.map(({ id }) => id)}::bigint[])`.execute(database.db)
  const listed = await sql<{ id: number; trusted: boolean }>`
    with recursive ${visibleProjects(viewer, { feature: 'issues', trusts: 'planner' })}
    select v.namespace_id as id, v.trusted from visible v`.execute(database.db)
  const trusted = new Map(listed.rows.map(({ id, ...seen }) => [id, seen]))
  return new Map(rows.map(({ id, ...cell }) => [id, { ...cell, listed: trusted.get(id) ?? null }]))
}

/** In words, for the one who reads a failure. */
const cellOf = (person: Person, node: Node) =>
  JSON.stringify({ ...node, ...person, tie: person.tie }, (_, value: unknown) => value)

describe('rights in SQL are those in TypeScript', () => {
  test('for all who ask, in every place', async () => {
    let cells = 0
    const wrong: unknown[] = []
    // From an address that the groups above refuse: some of them, since each is a statement.
    const asked = people.flatMap((person, index) =>
      (index % 4 === 0 ? (['anywhere', 'outside'] as const) : (['anywhere'] as const)).map(
        (from) => [person, from] as const,
      ),
    )
    for (const [person, from] of asked) {
      const found = await inSql(person, from)
      for (const node of nodes) {
        const [expected, answered] = [inMemory(person, node, from), found.get(node.id)]
        cells += Object.keys(expected).length
        const differing = Object.keys(expected).filter(
          (name) => JSON.stringify(expected[name]) !== JSON.stringify(answered?.[name]),
        )
        if (differing.length > 0) wrong.push([cellOf(person, node), ...differing])
      }
    }
    expect(wrong.slice(0, 5)).toEqual([])
    expect(cells).toBeGreaterThan(50_000)
  }, 180_000)

  test('for people who are told of something and do not ask', async () => {
    const { rows } = await sql<{ node: number; user: number; reads: boolean }>`
      select n.id as node, u.id as user, ${readableBy('n', 'u', TODAY)} as reads from namespaces n cross join users u
      where n.id = any(${nodes.map(({ id }) => id)}::bigint[])`.execute(database.db)
    const found = new Map(rows.map(({ node, user, reads }) => [`${node} ${user}`, reads]))
    const wrong = people.flatMap((person) =>
      nodes
        .filter((node) => {
          const expected =
            !node.deleted &&
            !person.blocked &&
            readers({ ...accessContextOf(person, node), readsBelow: false })
          return person.id !== null && found.get(`${node.id} ${person.id}`) !== expected
        })
        .map((node) => cellOf(person, node)),
    )
    expect(wrong.slice(0, 5)).toEqual([])
    expect(found.size).toBe(nodes.length * (people.length - 1))
  }, 180_000)

  test('where one place is looked up', async () => {
    const { rows } = await sql<{ id: number; project: number }>`
      select project_namespace_id as id, id as project from projects`.execute(database.db)
    const projects = new Map(rows.map(({ id, project }) => [id, project]))
    // Every person in some of the places, so that each place is looked up by many.
    for (const [index, person] of people.entries()) {
      for (const node of nodes.filter((_, place) => place % 10 === index % 10)) {
        const { kind, id } = node
        const place = await findContainer(
          database.db,
          { kind, key: { id: projects.get(id) ?? id } },
          viewerOf(person),
        )
        const { level, archived, readsBelow: below, features } = accessContextOf(person, node)
        const standing = place && {
          level: place.level,
          archived: place.archived_here,
          below: kind === 'group' && (place.level >= levels.guest || place.reads_below),
          features: kind === 'project' ? projectFeatureLevels(place.settings) : {},
        }
        const expected = node.deleted ? undefined : { level, archived, below, features }
        expect({ cell: cellOf(person, node), standing }).toEqual({
          cell: cellOf(person, node),
          standing: expected,
        })
      }
    }
  }, 180_000)
})
