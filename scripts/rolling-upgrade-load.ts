// Requests of all kinds, for scripts/rolling-upgrade.ts.

/** What somebody's requests are about. */
interface Place {
  readonly project: number
  readonly group: number
  /** The numbers of issues that are there already. */
  readonly issues: readonly number[]
}

export interface Instance {
  readonly token: string
  /** A place for each of those who send requests, so that none stands in another's way. */
  readonly places: readonly Place[]
}

export interface Counts {
  requests: number
  /** How often each kind of failure was met. */
  readonly failures: Map<string, number>
}

/** Requests under way at the same time on each server. */
const CONCURRENCY = 4
const ISSUES = 30

type Send = (method: string, path: string, body?: object) => Promise<Response>

const sender =
  (url: string, token: string): Send =>
  (method, path, body) =>
    fetch(`${url}/api/v4${path}`, {
      method,
      headers: { 'private-token': token, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })

/** Makes places with issues to work on, for so many servers. */
export async function prepareInstance(url: string, token: string, servers: number): Promise<Instance> {
  const numbers = Array.from({ length: CONCURRENCY * servers }, (_, index) => index)
  const send = sender(url, token)
  return { token, places: await Promise.all(numbers.map((number) => makePlace(send, number))) }
}

async function makePlace(send: Send, number: number): Promise<Place> {
  const make = async (path: string, body: object): Promise<{ id: number; iid: number }> => {
    const answer = await send('POST', path, body)
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { id: number; iid: number }
  }
  const group = await make('/groups', { name: `Update ${number}`, path: `update-${number}` })
  const project = await make('/projects', { name: 'Before', namespace_id: group.id })
  const issues: number[] = []
  for (let count = 0; count < ISSUES; count += 1) {
    const issue = { title: `Issue ${count}`, description: 'Words to find' }
    issues.push((await make(`/projects/${project.id}/issues`, issue)).iid)
  }
  return { project: project.id, group: group.id, issues }
}

/** Reads and writes, one kind after the other, with something new in each. */
function requests({ project, group, issues }: Place, name: string, turn: number) {
  const at = `/projects/${project}`
  const iid = issues[turn % issues.length] ?? 1
  return [
    ['GET', `${at}/issues?per_page=20`],
    ['POST', `${at}/issues`, { title: `Issue of ${name}`, description: 'More words', labels: 'bug' }],
    ['GET', `${at}/issues?search=words`],
    ['POST', `${at}/issues/${iid}/notes`, { body: `A note of ${name}, about #${iid}` }],
    ['PUT', `${at}/issues/${iid}`, { title: `Changed by ${name}` }],
    ['GET', `${at}/issues/${iid}/notes`],
    ['POST', `${at}/labels`, { name: `label ${name}`, color: 'red' }],
    ['GET', `${at}/labels?search=label`],
    ['POST', '/projects', { name: `Project ${name}`, namespace_id: group }],
    ['GET', `/groups/${group}/projects`],
    ['GET', at],
    ['GET', '/projects?membership=true'],
    ['PUT', `${at}/issues/${iid}`, { state_event: turn % 2 === 0 ? 'close' : 'reopen' }],
    ['GET', '/user'],
    ['PUT', at, { description: `Described by ${name}` }],
    ['POST', '/groups', { name: `Group ${name}`, path: name }],
    ['GET', '/groups?search=group'],
  ] as const
}

let serial = 0

/** Sends requests to one of the servers until told to end. @returns how many, and what failed: no answer, or a 5xx. */
export async function load(
  url: string,
  { token, places }: Instance,
  server: number,
  ending: AbortSignal,
): Promise<Counts> {
  const send = sender(url, token)
  const counts: Counts = { requests: 0, failures: new Map() }
  const fail = (what: string) => counts.failures.set(what, (counts.failures.get(what) ?? 0) + 1)
  const work = async (place: Place): Promise<void> => {
    while (!ending.aborted) {
      serial += 1
      for (const [method, path, body] of requests(place, `n${serial}`, serial)) {
        if (ending.aborted) return
        counts.requests += 1
        try {
          const answer = await send(method, path, body)
          const text = await answer.text()
          if (answer.status >= 500) fail(`${method} ${path.replace(/\d+/g, 'N')}: ${answer.status} ${text}`)
        } catch (error) {
          fail(`${method} ${path.replace(/\d+/g, 'N')}: ${String(error)}`)
        }
      }
    }
  }
  await Promise.all(places.slice(server * CONCURRENCY, (server + 1) * CONCURRENCY).map(work))
  return counts
}
