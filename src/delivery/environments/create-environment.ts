import type { AutoStopSetting, DeploymentTier } from '#platform/db/schema.ts'
import { lockText } from '#platform/db/locks.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { taken } from '#platform/refusals.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { checkName, checkUrl } from './check.ts'
import { environmentColumns, type EnvironmentRow } from './entity.ts'
import { slugOf } from './slug.ts'
import { guessTier } from './tier.ts'

/** The project that gets an environment. */
export interface EnvironmentProject {
  readonly id: number
  readonly namespace_id: number
}

/** What can be changed later, too. */
export interface EnvironmentAttributes {
  readonly external_url?: string | null
  readonly tier?: DeploymentTier
  readonly description?: string | null
  readonly auto_stop_at?: string | null
  readonly auto_stop_setting?: AutoStopSetting
}

export interface NewEnvironment extends EnvironmentAttributes {
  readonly name: string
}

/** Makes an environment. @throws 400 for a name that is taken or unacceptable, and for an unacceptable URL */
export async function createEnvironment(
  tx: Tx,
  project: EnvironmentProject,
  wanted: NewEnvironment,
): Promise<EnvironmentRow> {
  await lockNames(tx, project)
  const known = await byName(tx, project.id, wanted.name)
  if (known !== undefined) throw taken('name')
  return insert(tx, project, wanted)
}

/**
 * The environment of that name, which is made unless it is there. Until the transaction ends, nobody else changes it or
 * deploys there.
 * @throws 400 for a name that no environment can have
 */
export async function ensureEnvironment(
  tx: Tx,
  project: EnvironmentProject,
  name: string,
): Promise<EnvironmentRow> {
  const known = await byName(tx, project.id, name)
  if (known !== undefined) return known
  await lockNames(tx, project)
  return (await byName(tx, project.id, name)) ?? insert(tx, project, { name })
}

/** One at a time makes environments in a project, so that each gets a slug of its own. */
async function lockNames(tx: Tx, project: EnvironmentProject): Promise<void> {
  await lockParent(tx, project.namespace_id)
  await lockText(tx, `environments of project ${project.id}`)
}

const byName = (tx: Tx, projectId: number, name: string) =>
  tx.db
    .selectFrom('environments')
    .select(environmentColumns)
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()

async function insert(tx: Tx, project: EnvironmentProject, wanted: NewEnvironment): Promise<EnvironmentRow> {
  const name = checkName(wanted.name)
  const tier = wanted.tier ?? guessTier(name)
  const made = await tx.db
    .insertInto('environments')
    .values({
      project_id: project.id,
      name,
      slug: await freeSlug(tx, project.id, name),
      tier,
      external_url: checkUrl(wanted.external_url ?? null),
      description: wanted.description ?? null,
      auto_stop_at: wanted.auto_stop_at ?? null,
      auto_stop_setting: wanted.auto_stop_setting ?? 'always',
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(environmentColumns)
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'environment created',
    namespace: project.namespace_id,
    target: { type: 'Environment', id: made.id },
    details: { environment: name, tier },
  })
  return made
}

/** Tries further suffixes while others have the slug. */
async function freeSlug(tx: Tx, projectId: number, name: string): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    const slug = slugOf(name, attempt)
    const taken = await tx.db
      .selectFrom('environments')
      .select('id')
      .where('project_id', '=', projectId)
      .where('slug', '=', slug)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (taken === undefined) return slug
  }
}
