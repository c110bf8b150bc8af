import type { Viewer } from '#platform/access/viewer.ts'
import { InTheWay } from '#platform/db/errors.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { notFound } from '#platform/refusals.ts'
import type { NewKey } from '#identity/keys/add-key.ts'
import { insertKey, fingerprintTaken } from '#identity/keys/insert-key.ts'
import { type PublicKey, readPublicKey } from '#identity/keys/public-key.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import type { DeployKeyRow, ProjectDeployKeyRow } from './entity.ts'
import { availableKeys, findProjectKey, lockByFingerprint, type ProjectOfKeys } from './queries.ts'

export interface NewDeployKey extends NewKey {
  readonly can_push: boolean
}

/**
 * Adds a deploy key to a project. A key that the instance has already is enabled as it is, if it is public or the
 * caller maintains one of its projects.
 * @throws 400 for what is no safe key, has expired, or belongs to somebody else; 404 when the project is gone.
 */
export async function addDeployKey(
  tx: Tx,
  project: ProjectOfKeys,
  viewer: Viewer,
  { can_push, ...asked }: NewDeployKey,
): Promise<ProjectDeployKeyRow> {
  const read = readPublicKey(asked.key)
  await lockParent(tx, project.namespace_id)
  const known = await lockByFingerprint(tx, read.fingerprint_sha256)
  if (known === undefined) {
    const key = await insertDeployKey(tx, read, asked, { public: false })
    if (key === undefined) throw new InTheWay('somebody adds this key to another project')
    return enable(tx, project, key, can_push)
  }
  const key = await availableKeys(tx.db, viewer).where('k.id', '=', known.id).executeTakeFirst()
  if (key === undefined) throw fingerprintTaken()
  return enable(tx, project, key, can_push)
}

/** Adds a deploy key that every project may enable. @throws 400 as {@link addDeployKey} does */
export async function addPublicDeployKey(tx: Tx, asked: NewKey): Promise<DeployKeyRow> {
  const read = readPublicKey(asked.key)
  const key = await insertDeployKey(tx, read, asked, { public: true })
  if (key === undefined) throw fingerprintTaken()
  record(tx, {
    name: 'deploy key added',
    namespace: null,
    target: { type: 'DeployKey', id: key.id },
    details: { title: key.title, fingerprint_sha256: key.fingerprint_sha256, can_push: null },
  })
  return key
}

/**
 * Enables a deploy key in a project, for reading.
 * @throws 404 for a key that is neither public nor of a project that the caller maintains.
 */
export async function enableDeployKey(
  tx: Tx,
  project: ProjectOfKeys,
  viewer: Viewer,
  id: number,
): Promise<ProjectDeployKeyRow> {
  await lockParent(tx, project.namespace_id)
  const key = await availableKeys(tx.db, viewer)
    .where('k.id', '=', id)
    .forKeyShare('k')
    .executeTakeFirstOrThrow(() => notFound('Deploy Key'))
  return enable(tx, project, key, false)
}

/** @returns undefined when the instance has the key already. */
async function insertDeployKey(
  tx: Tx,
  read: PublicKey,
  { title, expires_at }: NewKey,
  options: { readonly public: boolean },
): Promise<DeployKeyRow | undefined> {
  const { fingerprint, fingerprint_sha256 } = read
  const key = `${read.text} ${read.comment}`.trimEnd()
  const row = { ...options, title, key, fingerprint, fingerprint_sha256 }
  const inserted = await insertKey(tx, { ...row, created_by_id: tx.author?.id ?? null, expires_at })
  return inserted && { ...row, ...inserted }
}

/** A key that is enabled there already stays as it is. */
async function enable(
  tx: Tx,
  { id: projectId, namespace_id: namespace }: ProjectOfKeys,
  key: Pick<DeployKeyRow, 'id' | 'title' | 'fingerprint_sha256'>,
  can_push: boolean,
): Promise<ProjectDeployKeyRow> {
  const enabled = await tx.db
    .insertInto('deploy_key_projects')
    .values({ project_id: projectId, key_id: key.id, can_push, created_at: tx.now, updated_at: tx.now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (enabled !== undefined) {
    const { title, fingerprint_sha256 } = key
    const details = { title, fingerprint_sha256, can_push }
    record(tx, { name: 'deploy key added', namespace, target: { type: 'DeployKey', id: key.id }, details })
  }
  return findProjectKey(tx.db, projectId, key.id)
}
