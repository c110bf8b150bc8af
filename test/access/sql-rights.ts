import { sql } from 'kysely'
import type { ProjectFeatureLevel } from '#platform/access/project-features.ts'
import type { AccessContext } from '#platform/access/access-context.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Visibility } from '#platform/db/schema.ts'

// People and places in every combination that decides about rights, made in few statements, and what each person's
// standing in each place is, said without a look at the database.

export const TODAY = '2026-06-15'
/** When a membership or share ends: never, or on a day that has come or is still to come. */
const endings = { never: null, today: TODAY, tomorrow: '2026-06-16' } as const
type Ending = keyof typeof endings

interface Grant {
  readonly level: number
  readonly ends?: Ending
}

/** What ties somebody to every place. */
interface Tie {
  /** Member of the place itself, of the group above it, of the project below it. */
  readonly direct?: Grant
  readonly above?: Grant
  readonly below?: Grant
  /** Member of a group (or of the group above that) which is invited to the place, above it or below it. */
  readonly invited?: {
    readonly to: 'place' | 'above' | 'below'
    readonly share: Grant
    readonly member: Grant
    readonly through?: 'parent'
    readonly deleted?: true
  }
}

const every = [5, 10, 15, 20, 25, 30, 40, 50] as const

const ties: readonly Tie[] = [
  {},
  ...every.map((level) => ({ direct: { level } })),
  ...[5, 10, 15, 30, 50].map((level) => ({ above: { level } })),
  ...(['today', 'tomorrow'] as const).flatMap((ends) => [
    { direct: { level: 40, ends } },
    { above: { level: 30, ends } },
    { below: { level: 30, ends } },
    { direct: { level: 50, ends }, above: { level: 10 } },
    { invited: { to: 'place', share: { level: 30, ends }, member: { level: 40 } } } as const,
    { invited: { to: 'place', share: { level: 30 }, member: { level: 40, ends } } } as const,
    { invited: { to: 'below', share: { level: 30, ends }, member: { level: 40 } } } as const,
  ]),
  { direct: { level: 10 }, above: { level: 30 } },
  { direct: { level: 30 }, above: { level: 10 } },
  ...[5, 10, 50].map((level) => ({ below: { level } })),
  ...[10, 15, 30, 50].flatMap((share) =>
    [5, 10, 15, 30, 50].map(
      (member) => ({ invited: { to: 'place', share: { level: share }, member: { level: member } } }) as const,
    ),
  ),
  ...[10, 50].map(
    (member) => ({ invited: { to: 'above', share: { level: 30 }, member: { level: member } } }) as const,
  ),
  { invited: { to: 'below', share: { level: 10 }, member: { level: 20 } } },
  { invited: { to: 'place', share: { level: 30 }, member: { level: 40 }, through: 'parent' } },
  { invited: { to: 'place', share: { level: 30 }, member: { level: 40 }, deleted: true } },
  { direct: { level: 10 }, invited: { to: 'place', share: { level: 30 }, member: { level: 50 } } },
  { direct: { level: 40 }, invited: { to: 'place', share: { level: 30 }, member: { level: 50 } } },
]

export interface Person {
  /** Null for whoever is not signed in. */
  readonly id: number | null
  readonly tie: Tie
  readonly admin: boolean
  readonly external: boolean
  readonly blocked: boolean
}

const anonymous: Person = { id: null, tie: {}, admin: false, external: false, blocked: false }

export const people: readonly Person[] = [
  anonymous,
  ...ties
    .flatMap((tie) => [false, true].map((external) => ({ tie, external, admin: false, blocked: false })))
    .concat(
      [{}, { direct: { level: 10 } }, { direct: { level: 50 } }].flatMap((tie: Tie) =>
        [false, true].map((external) => ({ tie, external, admin: true, blocked: false })),
      ),
      [{ tie: { direct: { level: 50 } }, external: false, admin: false, blocked: true }],
    )
    .map((person, index) => ({ ...person, id: 1_000 + index })),
]

export interface Node {
  readonly id: number
  readonly kind: 'project' | 'group'
  readonly visibility: Visibility
  readonly archived: 'no' | 'itself' | 'above'
  readonly deleted: boolean
  /** Of a project: the access level of some of its features. */
  readonly feature: ProjectFeatureLevel | undefined
}

const visibilities = ['private', 'internal', 'public'] as const
const archivings = ['no', 'itself', 'above'] as const
const levelsOfFeatures = [undefined, 'disabled', 'private', 'enabled', 'public'] as const

const open = { archived: 'no', deleted: false, feature: undefined } as const

export const nodes: readonly Node[] = visibilities
  .flatMap((visibility) => [
    ...archivings.flatMap((archived) => [
      ...levelsOfFeatures.map(
        (feature) => ({ ...open, kind: 'project', visibility, archived, feature }) as const,
      ),
      { ...open, kind: 'group', visibility, archived } as const,
    ]),
    { ...open, kind: 'project', visibility, deleted: true } as const,
    { ...open, kind: 'group', visibility, deleted: true } as const,
  ])
  .map((node, index) => ({ ...node, id: 100 + index }))

/** Ids of what is around the nodes. */
export const ABOVE = 10
const ARCHIVED_ABOVE = 11
const belowOf = (node: Node) => node.id + 400
const invitedGroupOf = (person: Person) => 10_000 + (person.id ?? 0) * 2
const aboveOf = (node: Node) => (node.archived === 'above' ? ARCHIVED_ABOVE : ABOVE)

const counts = ({ ends = 'never' }: Grant) => ends !== 'today'
const levelOf = (grant: Grant | undefined) => (grant !== undefined && counts(grant) ? grant.level : 0)

/** The parts of somebody's level that come from a membership of the place itself, and from elsewhere. */
export function levelsOf({ tie }: Person): { readonly direct: number; readonly inherited: number } {
  const { direct, above, invited } = tie
  const byInvitation = invited !== undefined && invited.to !== 'below' ? invitation(invited) : 0
  return { direct: levelOf(direct), inherited: Math.max(levelOf(above), byInvitation) }
}

function invitation({ share, member, deleted }: NonNullable<Tie['invited']>): number {
  return deleted ? 0 : Math.min(levelOf(share), levelOf(member))
}

/** @param from whose address the groups above most nodes take no requests from, if that is asked. */
export function accessContextOf(
  person: Person,
  node: Node,
  from: 'anywhere' | 'outside' = 'anywhere',
): AccessContext {
  const { direct, inherited } = levelsOf(person)
  const { below, invited } = person.tie
  const belowIt = Math.max(
    levelOf(below),
    invited?.to === 'below' ? invitation(invited) : 0,
    // Whoever is a member of the place is one of what is below it.
    direct,
    inherited,
  )
  const level = Math.max(direct, inherited)
  const owns = node.kind === 'group' && level >= 50
  return {
    closed: from === 'outside' && aboveOf(node) === ABOVE && !owns,
    level,
    visibility: node.visibility,
    signedIn: person.id !== null,
    external: person.external,
    admin: person.admin,
    archived: node.archived !== 'no',
    readsBelow: node.kind === 'group' && belowIt >= 10,
    features:
      node.feature === undefined
        ? {}
        : { issues: node.feature, pages: node.feature, wiki: node.feature, repository: node.feature },
  }
}

interface Row {
  readonly [column: string]: unknown
}

/** Makes all of them. */
export async function populate(db: Db): Promise<void> {
  const signedIn = people.filter((person): person is Person & { id: number } => person.id !== null)
  await sql`insert into organizations (id, name, path) values (1, 'Default', 'default')`.execute(db)
  await insert(
    db,
    'users',
    signedIn.map(({ id, admin, external, blocked }) => {
      const name = `user-${id}`
      const state = blocked ? 'blocked' : 'active'
      return { id, username: name, name, email: `${name}@example.com`, admin, external, state, ...moments }
    }),
  )
  const invited = signedIn.filter(({ tie }) => tie.invited !== undefined)
  await insert(db, 'namespaces', [
    namespace(ABOVE, [], 'group'),
    { ...namespace(ARCHIVED_ABOVE, [], 'group'), archived: true },
    ...nodes.flatMap((node) => {
      const { id, kind, visibility, archived, deleted } = node
      const state = { visibility, archived: archived === 'itself', deleted_at: deleted ? TODAY : null }
      const below = {
        ...namespace(belowOf(node), [aboveOf(node), id], 'project'),
        deleted_at: state.deleted_at,
      }
      return [{ ...namespace(id, [aboveOf(node)], kind), ...state }, ...(kind === 'group' ? [below] : [])]
    }),
    ...invited.flatMap((person) => {
      const id = invitedGroupOf(person)
      const deleted_at = person.tie.invited?.deleted ? TODAY : null
      return [namespace(id, [], 'group'), { ...namespace(id + 1, [id], 'group'), deleted_at }]
    }),
  ])
  await insert(
    db,
    'projects',
    nodes
      .filter(({ kind }) => kind === 'project')
      .map(({ id, feature }) => ({
        project_namespace_id: id,
        last_activity_at: TODAY,
        settings: settingsOf(feature),
      })),
  )
  await insert(db, 'members', signedIn.flatMap(memberships))
  await insert(db, 'shares', invited.flatMap(invitations))
}

const moments = { created_at: TODAY, updated_at: TODAY }

function namespace(id: number, above: readonly number[], kind: Node['kind']): Row {
  const name = `place-${id}`
  const names = { path: name, name, full_path: name, full_name: name }
  const tree = { parent_id: above.at(-1) ?? null, traversal_ids: [...above, id] }
  const states = {
    organization_id: 1,
    visibility: 'private',
    archived: false,
    deleted_at: null,
    settings: {},
  }
  return { id, kind, ...tree, ...names, ...states, ...moments }
}

const settingsOf = (feature: ProjectFeatureLevel | undefined): Row =>
  feature === undefined
    ? {}
    : {
        issues_access_level: feature,
        pages_access_level: feature,
        wiki_access_level: feature,
        repository_access_level: feature,
      }

function memberships(person: Person): Row[] {
  const { direct, above, below, invited } = person.tie
  const at = (place: number, { level, ends = 'never' }: Grant): Row => ({
    namespace_id: place,
    user_id: person.id,
    access_level: level,
    expires_at: endings[ends],
    ...moments,
  })
  const group = invitedGroupOf(person) + (invited?.through === 'parent' ? 0 : 1)
  return [
    ...(above ? [at(ABOVE, above), at(ARCHIVED_ABOVE, above)] : []),
    ...(direct ? nodes.map(({ id }) => at(id, direct)) : []),
    ...(below ? nodes.filter(({ kind }) => kind === 'group').map((node) => at(belowOf(node), below)) : []),
    ...(invited ? [at(group, invited.member)] : []),
  ]
}

function invitations(person: Person): Row[] {
  const { invited } = person.tie
  if (invited === undefined) return []
  const { share, to } = invited
  const places = {
    place: nodes.map(({ id }) => id),
    above: [ABOVE, ARCHIVED_ABOVE],
    below: nodes.filter(({ kind }) => kind === 'group').map(belowOf),
  }
  return places[to].map((namespace_id) => ({
    namespace_id,
    group_id: invitedGroupOf(person) + 1,
    access_level: share.level,
    expires_at: endings[share.ends ?? 'never'],
    created_at: TODAY,
  }))
}

async function insert(db: Db, table: string, rows: readonly Row[]): Promise<void> {
  const columns = sql.join(Object.keys(rows[0] ?? {}).map((name) => sql.ref(name)))
  await sql`insert into ${sql.table(table)} (${columns})
    select ${columns} from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::jsonb)`.execute(
    db,
  )
}
