import type { GroupAbility, ProjectAbility } from '#platform/access/abilities.ts'
import { AbilityNames } from '#tenancy/abilities/entity.ts'
import { notFound } from '#platform/refusals.ts'
import type { Api } from './api.ts'

/** What the visitor may do in a project or group: what they may not is not offered. */
export class Rights {
  readonly #names: ReadonlySet<string>

  constructor(names: readonly string[]) {
    this.#names = new Set(names)
  }

  may(ability: ProjectAbility | GroupAbility): boolean {
    return this.#names.has(ability)
  }
}

/** @param address the path of the project or group in the API. Strangers may read alone: nothing is asked for them. */
export const rightsIn = async (api: Api, address: string): Promise<Rights> =>
  new Rights(
    api.isForSomebody
      ? (api.keptAbilities(address) ?? (await api.get(AbilityNames, `${address}/abilities`)))
      : [],
  )

/**
 * The same on a page with a form that is for those who may do something.
 * @throws 404 for others
 */
export async function rightsTo(
  ability: ProjectAbility | GroupAbility,
  api: Api,
  address: string,
): Promise<Rights> {
  const rights = await rightsIn(api, address)
  if (!rights.may(ability)) throw notFound()
  return rights
}
