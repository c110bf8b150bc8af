import type { DeclaredRoute } from '#platform/http/declared-routes.ts'
import { Client } from '#test/client.ts'
import { w } from '#test/world.ts'
import type { Asking } from './route-expectation.ts'

const licensed = await w.licensed()

/** Whoever a client is, on that server. */
export const licensedAs = ({ headers }: Client): Client => new Client(licensed.url, headers)

/** Sends a request to a route, by whoever the client is. */
export const sendTo = (
  { method, access }: DeclaredRoute,
  { base, headers }: Client,
  { path, ...sending }: Asking,
) => new Client(access.tier === undefined ? base : licensed.url, headers).send(method, path, sending)
