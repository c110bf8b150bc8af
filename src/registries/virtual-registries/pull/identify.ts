import type { FastifyRequest } from 'fastify'
import { authorizeGroup } from '#platform/access/authorize.ts'
import { assertTier } from '#platform/access/tiers.ts'
import { dayOf } from '#platform/http/time.ts'
import { NotAllowed, NotFound, unauthorized } from '#platform/refusals.ts'
import type { Puller } from '../../oci/bearer.ts'
import { denied, nameUnknown } from '../../oci/errors.ts'
import { hasScope } from '../../oci/identify.ts'
import { areOpen, pullScopes, tier } from '../gate.ts'

/** @throws 403 for tokens without a scope for virtual registries */
export function assertScope(puller: Puller): void {
  if (puller.kind === 'anonymous') throw unauthorized()
  if (!hasScope(puller, ...pullScopes))
    throw denied(
      `this ${puller.kind === 'user' ? 'token' : puller.kind} needs the scope read_virtual_registry`,
    )
}

/**
 * Authorizes a puller for the registries of a group.
 * @throws 404 where they may not know that it exists, or registries are switched off; 403 where they
 * may, or the plan lacks them
 */
export async function authorizePull(request: FastifyRequest, puller: Puller, groupId: number): Promise<void> {
  const { services } = request.server
  const user = puller.kind === 'user' ? puller : undefined
  assertTier(tier, services)
  assertScope(puller)
  if (!areOpen(services, { user, group: { id: groupId } })) throw nameUnknown()
  if (puller.kind === 'anonymous') throw unauthorized()
  const closed = services.addressRules.closedTo(request.ip)
  if (puller.kind === 'deploy token') {
    if (closed.includes(groupId) || !(await isWithin(request, puller.namespaceId, groupId)))
      throw nameUnknown()
    return
  }
  const { id, admin, external, job } = puller
  const viewer = { id, admin, external, job, today: dayOf(services.clock.now()), closed }
  try {
    await authorizeGroup(services.db, viewer, String(groupId), 'pull_virtual_registry')
  } catch (error) {
    if (error instanceof NotFound) throw nameUnknown()
    throw error instanceof NotAllowed ? denied() : error
  }
}

/** Whether a project or group is, or is below, a group that is there. */
async function isWithin({ server }: FastifyRequest, namespaceId: number, groupId: number): Promise<boolean> {
  const found = await server.db
    .selectFrom('namespaces')
    .select('traversal_ids')
    .where('id', '=', namespaceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return found?.traversal_ids.includes(groupId) === true
}
