import { type Child, startChild, temporaryFolder } from './children.ts'
import type { Job, World } from './jobs.ts'
import type { LargeSizes } from './large-data.ts'
import type { Load } from './load.ts'
import type { Served, Statement, Told } from './serve.ts'

type Asker = keyof World & ('member' | 'joiner' | 'administrator')

/** The server under measurement in a process of its own, with a durable database. */
export interface Server extends AsyncDisposable {
  readonly pid: number
  readonly said: Served
  /** A request to this server. */
  load(as: Asker, path: string, body?: string): Load
  /** Sends one request. @throws when its answer is no success. */
  ask(
    as: Asker,
    method: string,
    path: string,
    body?: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>>
  loadOf(job: Job): Load & { readonly pid: number }
}

/** Enough projects and groups that nobody sees most of them, and few issues. */
const SMALL: Partial<LargeSizes> = { issues: 8_000, projects: 500, groups: 200, memberships: 100, people: 20 }

interface Starting extends Partial<Told> {
  /** Is done to the data folder before the server starts. */
  readonly prepare?: (dataDir: string) => Promise<void>
}

export async function startForgelet({
  sizes = SMALL,
  notes = 10_000,
  events = 10_000,
  mergeRequests = 1_000,
  prepare = async () => {},
}: Starting = {}): Promise<Server> {
  const folder = await temporaryFolder()
  const dataDir = `${folder.path}/data`
  await prepare(dataDir)
  const env = { FORGELET_DATA: dataDir }
  const child = await startChild<Served>('serve.ts', [{ sizes, notes, events, mergeRequests }], env).catch(
    async (error: unknown) => {
      await folder[Symbol.asyncDispose]()
      throw error
    },
  )
  const { url, world } = child.said
  const load: Server['load'] = (as, path, body) => ({
    url: `${url}/api/v4${path}`,
    headers: { 'private-token': world[as].token },
    ...(body === undefined ? {} : { body }),
  })
  return {
    pid: child.pid,
    said: child.said,
    load,
    ask: async (as, method, path, body) => {
      const answer = await fetch(`${url}/api/v4${path}`, {
        method,
        headers: { 'private-token': world[as].token, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${answer.status} from ${path}: ${text}`)
      return answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : {}
    },
    loadOf: ({ as, path, body }) => ({ ...load(as, path(world), body), pid: child.pid }),
    [Symbol.asyncDispose]: async () => {
      await child[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** A bare handler that runs these statements on the same database. */
export const startBare = (
  { said }: Server,
  statements: readonly Statement[],
): Promise<Child<{ readonly url: string }>> => startChild('bare.ts', [{ address: said.address, statements }])
