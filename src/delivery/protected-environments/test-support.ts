import { Client } from '#test/client.ts'
import type { MemberLevel } from '#platform/access/roles.ts'
import { type Actor, type Place, w } from '#test/world.ts'

const { url } = await w.licensed()

/** The same person there. */
export const licensed = ({ headers }: Pick<Actor, 'headers'>): Client => new Client(url, headers)

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

/** Deploys to an environment, and tells how that begins. */
export const deploy = (
  by: Client,
  project: { readonly id: number },
  environment: string,
  status = 'running',
) =>
  by.post(`/projects/${project.id}/deployments`, {
    environment,
    sha: 'main',
    ref: 'main',
    tag: false,
    status,
  })

/** The same for a test that is about what comes after. @returns where the deployment is */
export async function deployed(by: Client, project: { readonly id: number }, environment: string) {
  const { status, body, text } = await deploy(by, project, environment)
  if (status !== 201) throw new Error(`POST deployments: ${status} ${text}`)
  return `/projects/${project.id}/deployments/${body.id}`
}

/** Approves the deployment at a path, or rejects it. */
export const say = (
  by: Client,
  path: string,
  status: 'approved' | 'rejected' = 'approved',
  more: object = {},
) => by.post(`${path}/approval`, { status, ...more })

/** What becomes of a deployment: its status, and how many approvals it lacks. */
export async function stateOf(by: Client, path: string): Promise<[string, number]> {
  const { body } = await by.get(path)
  return [body.status, body.pending_approval_count]
}

/** A member of a project or group, by the id of its namespace, as they are where the plan has protected environments. */
export async function joined(namespaceId: number, level: MemberLevel) {
  const user = await w.user()
  await w.member(namespaceId, user, level)
  return licensedActor(user)
}

/** Somebody with their id, where the plan has protected environments. */
export const licensedActor = (user: Actor) => ({ id: user.id, username: user.username, by: licensed(user) })
