import { channel } from 'node:diagnostics_channel'
import { appendFileSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Router from 'find-my-way'
import { answersOf } from '#platform/openapi/answers.ts'
import { Components } from '#platform/openapi/components.ts'
import type { DeclaredRoute } from '#platform/http/requests.ts'
import { API, routerOptions } from '#platform/http/routing.ts'

/** The description of the API against what tests were answered: what it lacks, and what nobody was ever answered. */

/** What servers of this worker answered since the last look: `GET /api/v4/projects/1 200`. */
const answers = new Set<string>()
channel('http.server.response.finish').subscribe((message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
  const [path = ''] = (request.url ?? '').split('?')
  if (path.startsWith(`${API}/`))
    answers.add(`${request.method?.replace('HEAD', 'GET')} ${path} ${response.statusCode}`)
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

const seen = new Set<string>()

/**
 * Looks at what was answered since the last time.
 * @param file where the answers of all workers are gathered.
 * @returns what the description does not have, each once.
 */
export function undescribedAnswers(file: string): string[] {
  if (router === undefined) return []
  const fresh = new Map<string, boolean>()
  for (const one of answers) {
    const [method = '', path = '', status = ''] = one.split(' ')
    const route = describedOf(method, path)
    if (route !== undefined) fresh.set(`${route.name} ${status}`, route.statuses.has(status))
  }
  answers.clear()
  const added = [...fresh].filter(([one]) => !seen.has(one))
  for (const [one] of added) seen.add(one)
  appendFileSync(file, added.map(([one]) => `${one}\n`).join(''))
  return added.filter(([, described]) => !described).map(([one]) => one)
}

/** The refusals that routes declare themselves and that no test of a whole run was answered with. */
export function unseenRefusals(file: string, routes: readonly DeclaredRoute[]): string[] {
  const all = new Set(readFileSync(file, 'utf8').split('\n'))
  return routes.flatMap((route) =>
    (route.schema.refuses ?? []).map((status) => `${nameOf(route)} ${status}`).filter((one) => !all.has(one)),
  )
}
