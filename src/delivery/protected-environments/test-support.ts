import { Client } from '../../../test/client.ts'
import { type Actor, type Place, w } from '../../../test/world.ts'

/** A server of the same instance whose plan has protected environments; open as long as the world is. */
const premium = await w.another(undefined, {}, 'premium')

/** The same person there. */
export const licensed = ({ headers }: Pick<Actor, 'headers'>): Client => new Client(premium.url, headers)

/** Where a project or group has its protected environments, or one of them. */
export const pathOf = (kind: 'project' | 'group', { id }: { readonly id: number }, name?: string) =>
  `/${kind}s/${id}/protected_environments${name === undefined ? '' : `/${encodeURIComponent(name)}`}`

/** The maintainer of a place, where the plan has protected environments. */
export const keeperOf = ({ maintainer }: Pick<Place, 'maintainer'>) => licensed(maintainer)

/** Protects something for a test that is about what comes after. @returns the answer's body */
export async function protect(by: Client, path: string, json: object) {
  const { status, body, text } = await by.post(path, json)
  if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`)
  return body
}

/** How many facts a project or group has, by their names. */
export async function factsOf(namespaceId: number): Promise<string[]> {
  const rows = await w.db
    .selectFrom('facts')
    .select('name')
    .where('namespace_id', '=', namespaceId)
    .where((eb) => eb.or([eb('name', 'like', '%environment%'), eb('name', 'like', 'deployment %')]))
    .orderBy('id')
    .execute()
  return rows.map(({ name }) => name)
}
