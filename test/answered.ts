import { channel } from 'node:diagnostics_channel'
import { appendFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Router from 'find-my-way'
import { inject } from 'vitest'
import { answersOf } from '#platform/openapi/answers.ts'
import { Components } from '#platform/openapi/components.ts'
import type { DeclaredRoute } from '#platform/http/declared-routes.ts'
import { API, routerOptions } from '#platform/http/routing.ts'
import { afterEachFile } from './checks.ts'
import { declaredIn } from './refusals.ts'

/** The description of the API against what tests were answered: what it lacks, and what nobody was ever answered. */

/** A header of requests that differ in every run: their answers must be described, but show no refusal that another run would lack. */
export const BY_CHANCE = { 'user-agent': 'requests by chance' } as const

/** What servers of this worker answered since the last look: `GET /api/v4/projects/1 200`. */
const answers = new Set<string>()
/** The same, where requests came by chance. */
const byChance = new Set<string>()
channel('http.server.response.finish').subscribe((message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
  const [path = ''] = (request.url ?? '').split('?')
  if (!path.startsWith(`${API}/`)) return
  const to = request.headers['user-agent'] === BY_CHANCE['user-agent'] ? byChance : answers
  to.add(`${request.method?.replace('HEAD', 'GET')} ${path} ${response.statusCode}`)
})

const ofApi = ({ access, url }: DeclaredRoute) => access.outside !== true && url.startsWith(`${API}/`)
const nameOf = ({ method, url }: Pick<DeclaredRoute, 'method' | 'url'>) => `${method} ${url}`

interface Described {
  readonly name: string
  readonly statuses: ReadonlySet<string>
}

let router: ReturnType<typeof Router> | undefined

/** Tells which routes there are; the first server of a worker does. */
export function describeRoutes(routes: readonly DeclaredRoute[]): void {
  if (router !== undefined) return
  const refusals = routes.flatMap((route) =>
    (route.schema.refuses ?? []).map((status) => `${nameOf(route)} ${status}\n`),
  )
  writeFileSync(declaredIn(inject('answers')), refusals.join(''))
  router = Router(routerOptions)
  for (const route of routes.filter(ofApi)) {
    const statuses = new Set(Object.keys(answersOf(route, new Components())))
    const store: Described = { name: nameOf(route), statuses }
    router.on(route.method as 'GET', route.url, () => {}, store)
  }
}

function describedOf(method: string, path: string): Described | undefined {
  const found = router?.find(method as 'GET', path)
  return found ? (found.store as Described) : undefined
}

/** Empties a set of answers. @returns them by the routes that gave them, and whether their descriptions have them. */
function takeAnswers(from: Set<string>): Map<string, boolean> {
  const taken = new Map<string, boolean>()
  for (const one of from) {
    const [method = '', path = '', status = ''] = one.split(' ')
    const route = describedOf(method, path)
    if (route !== undefined) taken.set(`${route.name} ${status}`, route.statuses.has(status))
  }
  from.clear()
  return taken
}

const seen = new Set<string>()

/** Clients are generated from the description of the API: it has every status that any test was answered. */
afterEachFile(() => {
  if (router === undefined) return []
  const certain = takeAnswers(answers)
  const fresh = [...certain.keys()].filter((one) => !seen.has(one))
  for (const one of fresh) seen.add(one)
  appendFileSync(inject('answers'), fresh.map((one) => `${one}\n`).join(''))
  const all = new Map([...certain, ...takeAnswers(byChance)])
  return [...all].filter(([, described]) => !described).map(([one]) => `openapi.json lacks the answer ${one}`)
})
