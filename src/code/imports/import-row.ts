import { Type } from 'typebox'
import { Check } from 'typebox/schema'
import type { Db } from '#platform/db/pool.ts'
import type { ImportKind } from '#platform/db/schema.ts'
import type { Secrets } from '#platform/db/secrets.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { Credentials } from './source-url.ts'

interface Imported {
  readonly id: number
  readonly namespace_id: number
}

const target = ({ id }: Imported) => ({ type: 'Project', id }) as const

/** Where a project comes from: a repository, or an archive. */
export interface NewImport {
  readonly kind: ImportKind
  readonly url?: string
  /** Sealed. */
  readonly credentials?: Buffer | null
  readonly file_id?: string
  readonly author_id?: number
}

/** Notes that a project, which this transaction makes, is imported. */
export async function scheduleImport(tx: Tx, project: Imported, source: NewImport): Promise<void> {
  await tx.db
    .insertInto('project_imports')
    .values({ project_id: project.id, ...source, state: 'scheduled', created_at: tx.now })
    .execute()
  const details = { kind: source.kind, url: source.url ?? null }
  record(tx, {
    name: 'project import scheduled',
    namespace: project.namespace_id,
    target: target(project),
    details,
  })
}

/** An import that is to be done; undefined when it has ended, or its project is gone. */
export async function findOpenImport(db: Db, projectId: number) {
  return db
    .selectFrom('project_imports as i')
    .innerJoin('projects as p', 'p.id', 'i.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .leftJoin('users as u', 'u.id', 'i.author_id')
    .select([
      'i.project_id as id',
      'n.id as namespace_id',
      'n.traversal_ids',
      'i.kind',
      'i.url',
      'i.credentials',
    ])
    .select(['i.file_id', 'u.id as author_id', 'u.username as author'])
    .where('i.project_id', '=', projectId)
    .where('i.state', 'in', ['scheduled', 'started'])
    .executeTakeFirst()
}

export type OpenImport = NonNullable<Awaited<ReturnType<typeof findOpenImport>>>

export async function startImport(db: Db, { id }: Pick<OpenImport, 'id'>): Promise<void> {
  await db.updateTable('project_imports').set({ state: 'started' }).where('project_id', '=', id).execute()
}

/** Ends an import and forgets its credentials. @param error why it failed; undefined when it did not */
export async function endImport(
  tx: Tx,
  one: Pick<OpenImport, 'id' | 'namespace_id' | 'kind'>,
  error?: string,
): Promise<void> {
  const state = error === undefined ? 'finished' : 'failed'
  const updated = await tx.db
    .updateTable('project_imports')
    .set({ state, error: error?.slice(0, 1000) ?? null, credentials: null, file_id: null, ended_at: tx.now })
    .where('project_id', '=', one.id)
    .where('state', 'in', ['scheduled', 'started'])
    .returning('project_id')
    .executeTakeFirst()
  if (updated === undefined) return
  const { kind, namespace_id: namespace } = one
  if (error === undefined)
    record(tx, { name: 'project import finished', namespace, target: target(one), details: { kind } })
  else record(tx, { name: 'project import failed', namespace, target: target(one), details: { kind, error } })
}

/** Credentials are sealed for imports alone: which project they belong to is not known before it is made. */
const NAME = 'credentials of an import'
const Stored = Type.Object({ user: Type.String(), password: Type.String() })

export const sealCredentials = (secrets: Secrets, { user, password }: Credentials): Buffer =>
  secrets.seal(NAME, JSON.stringify({ user, password }))

export function openCredentials(secrets: Secrets, sealed: Buffer): Credentials {
  const value: unknown = JSON.parse(secrets.open(NAME, sealed).toString('utf8'))
  if (!Check(Stored, value)) throw new Error('The credentials of an import cannot be read')
  return value
}
