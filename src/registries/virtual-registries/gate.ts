import type { FastifyRequest } from 'fastify'
import type { GroupAbility } from '#platform/access/abilities.ts'
import { authorizeGroup, type GroupContainer } from '#platform/access/authorize.ts'
import { anyone, group, reads, type Tier, writes } from '#platform/access/route-access.ts'
import type { Scope } from '#platform/access/scopes.ts'
import type { Actors } from '#platform/feature-flags/actors.ts'
import type { FeatureFlags } from '#platform/feature-flags/feature-flags.ts'
import { invalid, notFound, NotFound } from '#platform/refusals.ts'
import type { Settings } from '#platform/settings/definitions.ts'

export const tier: Tier = { licensedArea: 'Container virtual registries', plan: 'premium' }

const featureFlag = 'container_virtual_registries'
const reading: readonly Scope[] = ['api', 'read_api', 'read_virtual_registry', 'write_virtual_registry']
const writing: readonly Scope[] = ['api', 'write_virtual_registry']
/** For pulling images. */
export const pullScopes: readonly Scope[] = ['api', 'read_virtual_registry', 'write_virtual_registry']

/** The access of routes below `/groups/:id`. */
export const readsOfGroup = reads(group('read_virtual_registry'), { tier, featureFlag, scopes: reading })
export const writesOfGroup = writes(group('admin_virtual_registry'), { tier, featureFlag, scopes: writing })
/** The access of routes that name something of a group by its id: {@link authorizeIn} asks for the ability. */
export const readsById = reads(anyone, { tier, scopes: reading })
export const writesById = writes(anyone, { tier, scopes: writing })

interface Switches {
  readonly featureFlags: FeatureFlags
  readonly settings: () => Settings
}

/** Whether there are virtual registries for a person, or in a group. */
export const areOpen = ({ featureFlags, settings }: Switches, actors: Actors): boolean =>
  settings().container_virtual_registries_enabled && featureFlags.isOn(featureFlag, actors)

/** Finds the id of the group that a request is about, before its parameters are read. */
type GroupOf = (request: FastifyRequest) => Promise<number | undefined>

/**
 * A `preValidation` that hides a route where virtual registries are switched off.
 * @param groupOf where the path names something else than a group. A group that the caller may not read opens nothing,
 * but then the answer is the same.
 */
export const hiddenUnlessOpen =
  (groupOf?: GroupOf) =>
  async (request: FastifyRequest): Promise<void> => {
    const { services } = request.server
    const user = request.identity?.user
    // The feature flag of routes that name a group was looked at before.
    if (
      groupOf === undefined
        ? services.settings().container_virtual_registries_enabled
        : areOpen(services, { user })
    )
      return
    const id = await groupOf?.(request)
    if (id === undefined || !areOpen(services, { user, group: { id } })) throw new NotFound('404 Not Found')
  }

/**
 * Authorizes the caller for what belongs to a group.
 * @param groupId undefined when what the path names does not exist.
 * @throws 404 also when the caller may not read the group; 403 when they may, and lack the ability.
 */
export async function authorizeIn(
  { server, viewer }: FastifyRequest,
  groupId: number | undefined,
  ability: GroupAbility,
): Promise<GroupContainer> {
  if (groupId === undefined) throw notFound()
  try {
    return (await authorizeGroup(server.db, viewer, String(groupId), ability)).container
  } catch (error) {
    if (error instanceof NotFound) throw notFound()
    throw error
  }
}

/** @throws 400 for a group inside of another one. */
export function assertTopLevel({ parent_id }: Pick<GroupContainer, 'parent_id'>): void {
  if (parent_id !== null) throw invalid({ group: ['must be a top-level group'] })
}
