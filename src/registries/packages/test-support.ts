import { request } from 'node:http'
import { Client } from '#test/client.ts'
import { until } from '#test/until.ts'
import { type Place, unique, w } from '#test/world.ts'

/** A client that sends HTTP Basic, as most package managers do. */
export const basicClient = (username: string, password: string): Client =>
  new Client(w.url, { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` })

/** A deploy token of a project or group. */
export async function deployToken(
  place: Place,
  kind: 'project' | 'group',
  ...scopes: readonly string[]
): Promise<{ readonly id: number; readonly username: string; readonly token: string }> {
  const { status, body } = await place.owner.post(`/${kind}s/${place.id}/deploy_tokens`, {
    name: unique('deploy'),
    scopes,
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body
}

/** The address of a file of a generic package. */
export const genericFile = (
  { id }: { readonly id: number },
  { name = 'tool', version = '1.0.0', file = 'tool.txt' } = {},
): string => `/projects/${id}/packages/generic/${name}/${version}/${encodeURIComponent(file)}`

/** Publishes a file of a generic package. */
export const publishGeneric = (
  client: Client,
  project: { readonly id: number },
  { content = 'hello', query = '', ...named }: { content?: string; query?: string } & Named = {},
) => client.send('PUT', `${genericFile(project, named)}${query}`, { form: content })

interface Named {
  readonly name?: string
  readonly version?: string
  readonly file?: string
}

/** Publishes a generic package. @returns its id */
export async function genericPackage(
  client: Client,
  project: { readonly id: number },
  options: Parameters<typeof publishGeneric>[2] = {},
): Promise<number> {
  const { status, body } = await publishGeneric(client, project, {
    ...options,
    query: '?select=package_file',
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.package_id
}

/** Sends the beginning of an upload, ends the connection when its file has begun, and waits until the server has given it up. */
export async function breakOff(path: string, token: string, beginning: string): Promise<void> {
  const sending = request(`${w.url}/api/v4${path}`, {
    method: 'PUT',
    headers: {
      'private-token': token,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(beginning) + 1,
    },
  })
  sending.on('error', () => {})
  sending.write(beginning)
  const uploads = () =>
    w.db.selectFrom('file_leftovers').select('key').where('state', '=', 'uploading').executeTakeFirst()
  await until(uploads)
  sending.destroy()
  await until(async () => (await uploads()) === undefined)
}
