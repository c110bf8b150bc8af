import { type AliasedExpression, type InferResult, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { type Param, type Params, statement } from '#platform/db/statement.ts'
import { iso } from '#platform/http/time.ts'
import type { CredentialOfUser } from './credentials.ts'
import type { Policy, Credential } from './identity.ts'
import type { ActingJob } from './viewer.ts'
import {
  containerColumns,
  containerQuery,
  type ContainerRow,
  keyValuesOf,
  type RequestedResource,
  shapeOf,
} from './containers.ts'

const user = [
  'u.id as user_id',
  'u.username',
  'u.name as user_name',
  'u.kind as user_kind',
  'u.state',
  'u.admin',
  'u.external',
] as const

const none = <T>(type: string) => sql<T | null>`null::${sql.raw(type)}`

/** A job whose token was sent. */
type FoundJob = Omit<ActingJob, 'isConfined' | 'isOfAdmin'>

/** Where each kind of credential is stored: one row by the digest of its secret, with its user. */
const credentialQueries = {
  'access token': (db: Db, digest: Param<Buffer>) =>
    db
      .selectFrom('access_tokens as t')
      .innerJoin('users as u', 'u.id', 't.user_id')
      .select(['t.id as credential_id', 't.scopes', 't.expires_at', 't.revoked_at', 't.last_used_at'])
      .select([
        sql<Credential['kind']>`t.kind::text`.as('credential_kind'),
        none<string>('timestamptz').as('ends_at'),
        none<FoundJob>('json').as('job'),
      ])
      .select('t.created_by_id as made_by')
      .select(user)
      .where('t.digest', '=', digest)
      .where('u.deleted_at', 'is', null),
  'OAuth token': (db: Db, digest: Param<Buffer>) =>
    db
      .selectFrom('oauth_access_tokens as t')
      .innerJoin('users as u', 'u.id', 't.user_id')
      .select(['t.id as credential_id', 't.scopes', 't.ends_at', 't.revoked_at', 't.last_used_at'])
      .select([
        sql<Credential['kind']>`'oauth'`.as('credential_kind'),
        none<string>('date').as('expires_at'),
        none<number>('bigint').as('made_by'),
        none<FoundJob>('json').as('job'),
      ])
      .select(user)
      .where('t.digest', '=', digest)
      .where('u.deleted_at', 'is', null),
  'job token': (db: Db, digest: Param<Buffer>) =>
    db
      .selectFrom('ci_running_jobs as t')
      .innerJoin('ci_jobs as j', 'j.id', 't.job_id')
      .innerJoin('projects as p', 'p.id', 'j.project_id')
      .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
      .innerJoin('users as u', 'u.id', 'j.user_id')
      .select('j.id as credential_id')
      .select([
        sql<Credential['kind']>`'job'`.as('credential_kind'),
        none<string[]>('text[]').as('scopes'),
        none<string>('date').as('expires_at'),
        none<string>('timestamptz').as('ends_at'),
        none<string>('timestamptz').as('revoked_at'),
        none<string>('timestamptz').as('last_used_at'),
        none<number>('bigint').as('made_by'),
        sql<FoundJob | null>`json_build_object('id', j.id, 'projectId', p.id, 'path', n.path,
          'traversalIds', n.traversal_ids)`.as('job'),
      ])
      .select(user)
      .where('t.token_digest', '=', digest)
      // Whatever becomes of the row, the token is worth nothing once the job has ended.
      .where('j.status', 'in', ['running', 'canceling'])
      .where('n.deleted_at', 'is', null)
      .where('u.deleted_at', 'is', null),
  'feed token': (db: Db, digest: Param<Buffer>) =>
    db
      .selectFrom('feed_tokens as t')
      .innerJoin('users as u', 'u.id', 't.user_id')
      .select('t.id as credential_id')
      .select([
        sql<Credential['kind']>`'feed'`.as('credential_kind'),
        // What feeds ask the API for.
        sql<string[] | null>`array['read_api', 'read_user']`.as('scopes'),
        none<string>('date').as('expires_at'),
        none<string>('timestamptz').as('ends_at'),
        none<string>('timestamptz').as('revoked_at'),
        none<string>('timestamptz').as('last_used_at'),
        none<number>('bigint').as('made_by'),
        none<FoundJob>('json').as('job'),
      ])
      .select(user)
      .where('t.digest', '=', digest)
      .where('u.state', '=', 'active')
      .where('u.deleted_at', 'is', null),
  session: (db: Db, digest: Param<Buffer>) =>
    db
      .selectFrom('sessions as t')
      .innerJoin('users as u', 'u.id', 't.user_id')
      .select(['t.id as credential_id', 't.ends_at', 't.last_used_at'])
      .select([
        sql<Credential['kind']>`'session'`.as('credential_kind'),
        none<string[]>('text[]').as('scopes'),
        none<string>('date').as('expires_at'),
        none<string>('timestamptz').as('revoked_at'),
        none<number>('bigint').as('made_by'),
        none<FoundJob>('json').as('job'),
      ])
      .select(user)
      .where('t.digest', '=', digest)
      .where('u.deleted_at', 'is', null),
} as const

/**
 * A stored credential with its user. It no longer works from the day `expires_at` or the moment `ends_at` on; `made_by` is
 * the administrator who made an impersonation token.
 */
export type FoundCredential = { [Column in keyof Stored]: Stored[Column] }

type Stored = InferResult<ReturnType<(typeof credentialQueries)[CredentialOfUser['kind']]>>[number]

const who = (
  db: Db,
  kind: CredentialOfUser['kind'],
  digest: Param<Buffer>,
): AliasedExpression<FoundCredential, 'who'> => credentialQueries[kind](db, digest).as('who')

const columns = (
  [
    'credential_id',
    'credential_kind',
    'scopes',
    'expires_at',
    'ends_at',
    'revoked_at',
    'last_used_at',
    'made_by',
    'job',
    'user_id',
    'username',
    'user_name',
    'user_kind',
    'state',
    'admin',
    'external',
  ] as const satisfies (keyof FoundCredential)[]
).map((column) => `who.${column}` as const)

interface ByDigest {
  readonly digest: Buffer
}

const credential = statement({
  name: 'credential',
  build: (db: Db, param: Params<ByDigest>, { kind }: Pick<CredentialOfUser, 'kind'>) =>
    db.selectFrom(who(db, kind, param('digest'))).select(columns),
})

/**
 * The credential with a container, and what the path names in it, in one round trip. Most requests need both.
 */
const withContainer = statement({
  name: 'credential with container',
  build: (
    db: Db,
    param: Params<ByDigest & ReturnType<typeof keyValuesOf>>,
    { sent, ...shape }: ReturnType<typeof shapeOf> & { readonly sent: CredentialOfUser['kind'] },
  ) =>
    db
      .selectFrom(who(db, sent, param('digest')))
      .leftJoinLateral(
        () => containerQuery(db, shape, param, sql<number>`who.user_id`).as('container'),
        (join) => join.onTrue(),
      )
      .select(columns)
      .select(containerColumns),
})

/**
 * Looks up the credential that was sent, with its user and the requested project or group. Undefined when it is
 * unknown.
 */
export async function lookUpCredential(
  db: Db,
  sent: CredentialOfUser | undefined,
  { now, today }: Policy,
  requested?: RequestedResource,
) {
  if (sent === undefined) return { found: undefined, container: undefined }
  const { kind, digest } = sent
  const [found] = requested
    ? await withContainer(
        db,
        { digest, ...keyValuesOf(requested, today) },
        { ...shapeOf(requested), sent: kind },
      )
    : await credential(db, { digest }, { kind })
  const ended = found !== undefined && found.credential_kind === 'session' && isCredentialOver(found, now)
  if (found === undefined || ended) return { found: undefined, container: undefined }
  return { found, container: requested && isContainer(found) ? found : requested && null }
}

/** Whether an OAuth token or a session has ended. */
export const isCredentialOver = ({ ends_at }: FoundCredential, now: Date): boolean =>
  ends_at !== null && iso(ends_at) <= now.toISOString()

/** The join leaves every column null when there is no such container. */
function isContainer<Row extends object>(row: Row): row is Row & ContainerRow {
  return 'id' in row && row.id !== null
}
