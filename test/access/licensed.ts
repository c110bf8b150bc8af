import type { DeclaredRoute } from '#platform/http/requests.ts'
import { Client } from '../client.ts'
import { w } from '../world.ts'
import type { Asking } from './route-expectation.ts'

/** A server of the same instance that has every plan, for the routes that need one; open as long as the world is. */
const licensed = await w.another(undefined, {}, 'ultimate')

/** Whoever a client is, on that server. */
export const licensedAs = ({ headers }: Client): Client => new Client(licensed.url, headers)

/** Sends a request to a route, by whoever the client is. */
export const sendTo = (
  { method, access }: DeclaredRoute,
  { base, headers }: Client,
  { path, ...sending }: Asking,
) => new Client(access.tier === undefined ? base : licensed.url, headers).send(method, path, sending)
