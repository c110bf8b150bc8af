import { type Child, startChild, temporaryFolder } from './children.ts'
import type { Job, World } from './jobs.ts'
import type { LargeSizes } from './large-data.ts'
import type { Load } from './load.ts'
import type { Served, Statement, Told } from './serve.ts'

/** The server under measurement in a process of its own, with a durable database. */
export interface Server extends AsyncDisposable {
  readonly pid: number
  readonly said: Served
  /** A request to this server. */
  load(as: keyof World & ('member' | 'joiner' | 'administrator'), path: string, body?: string): Load
  loadOf(job: Job): Load & { readonly pid: number }
}

/** Enough projects and groups that nobody sees most of them, and few issues. */
const SMALL: Partial<LargeSizes> = { issues: 8_000, projects: 500, groups: 200, memberships: 100, people: 20 }

export async function startForgelet({
  sizes = SMALL,
  notes = 10_000,
  events = 10_000,
}: Partial<Told> = {}): Promise<Server> {
  const folder = await temporaryFolder()
  const env = { FORGELET_DATA: `${folder.path}/data` }
  const child = await startChild<Served>('serve.ts', [{ sizes, notes, events }], env).catch(
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
