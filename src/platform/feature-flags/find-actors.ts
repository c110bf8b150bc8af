import { sql } from 'kysely'
import type { NamespaceKind } from '#platform/db/schema.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { badRequest } from '#platform/refusals.ts'
import { actorIds } from './actors.ts'

/** Actors as requests name them: usernames and full paths. */
export interface ActorNames {
  readonly user?: readonly string[]
  readonly group?: readonly string[]
  readonly namespace?: readonly string[]
  readonly project?: readonly string[]
  readonly repository?: readonly string[]
}

type Kind = keyof ActorNames
/** An actor by the name that was looked up, in lower case. */
type NamedActor = readonly { readonly name: string; readonly actor: string }[]

const kinds: Readonly<Record<Kind, (db: Db | Tx['db'], names: readonly string[]) => Promise<NamedActor>>> = {
  user: findUsers,
  group: (db, names) => findNamespaces(db, names, ['group']),
  namespace: (db, names) => findNamespaces(db, names, ['group', 'user']),
  project: (db, names) => findProjects(db, names, actorIds.project),
  repository: (db, names) => findProjects(db, names, actorIds.repository, '.git'),
}

/**
 * Finds the actors that a request names, and returns their names in gates.
 * @throws 400 that names the first actor that does not exist, or the parameter that is empty.
 */
export async function findActors(db: Db | Tx['db'], named: ActorNames): Promise<string[]> {
  const actors: string[] = []
  for (const kind of ['user', 'project', 'group', 'namespace', 'repository'] as const) {
    const names = named[kind]
    if (names === undefined) continue
    if (names.length === 0) throw badRequest(`${kind} names nothing`)
    const found = new Map((await kinds[kind](db, names)).map(({ name, actor }) => [name, actor]))
    for (const name of names) {
      const actor = found.get(name.toLowerCase())
      if (actor === undefined) throw badRequest(`there is no ${kind} ${name}`)
      actors.push(actor)
    }
  }
  return actors
}

const lower = (names: readonly string[]) =>
  sql<string>`any(${names.map((name) => name.toLowerCase())}::text[])`

async function findUsers(db: Db | Tx['db'], names: readonly string[]): Promise<NamedActor> {
  const rows = await db
    .selectFrom('users')
    .select(['id', sql<string>`lower(username)`.as('name')])
    .where(sql`lower(username)`, '=', lower(names))
    .where('deleted_at', 'is', null)
    .execute()
  return rows.map(({ id, name }) => ({ name, actor: actorIds.user(id) }))
}

async function findNamespaces(
  db: Db | Tx['db'],
  names: readonly string[],
  those: readonly NamespaceKind[],
): Promise<NamedActor> {
  const rows = await db
    .selectFrom('namespaces')
    .select(['id', 'kind', sql<string>`lower(full_path)`.as('name')])
    .where(sql`lower(full_path)`, '=', lower(names))
    .where('kind', 'in', [...those])
    .where('deleted_at', 'is', null)
    .execute()
  return rows.map(({ id, kind, name }) => ({
    name,
    actor: kind === 'group' ? actorIds.group(id) : actorIds.personalNamespace(id),
  }))
}

/** @param suffix what the name has after the path of the project. */
async function findProjects(
  db: Db | Tx['db'],
  names: readonly string[],
  actorOf: (id: number) => string,
  suffix = '',
): Promise<NamedActor> {
  const paths = names
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, name.length - suffix.length))
  const rows = await db
    .selectFrom('namespaces as n')
    .innerJoin('projects as p', 'p.project_namespace_id', 'n.id')
    .select(['p.id', sql<string>`lower(n.full_path)`.as('name')])
    .where(sql`lower(n.full_path)`, '=', lower(paths))
    .where('n.deleted_at', 'is', null)
    .execute()
  return rows.map(({ id, name }) => ({ name: name + suffix, actor: actorOf(id) }))
}
