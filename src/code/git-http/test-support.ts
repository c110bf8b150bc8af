import { afterAll, beforeAll } from 'vitest'
import { w } from '#test/world.ts'
import { type Clone, GitClient } from '#test/git-client.ts'

let client: GitClient | undefined
let serial = 0

/** Opens a folder for the real git client around the tests of a file. */
export function withGit(): void {
  beforeAll(async () => {
    client = await GitClient.open()
  })
  afterAll(async () => client?.[Symbol.asyncDispose]())
}

export function git(): GitClient {
  if (client === undefined) throw new Error('withGit() is missing')
  return client
}

export const fresh = (): string => `clone-${++serial}`

/** The URL of a project's repository, with a token as git sends it. */
export const urlWith = (token: string | undefined, path: string): string =>
  `${token === undefined ? w.url : w.url.replace('://', `://oauth2:${token}@`)}/${path}.git`

type Options = NonNullable<Parameters<typeof w.project>[0]>

/** A project with one commit on `main`. */
export async function projectWith(files: Record<string, string | Buffer>, options: Options = {}) {
  const project = await w.project(options)
  const url = urlWith(project.maintainer.token, project.fullPath)
  const work = await git().init(url, fresh())
  const head = await work.commit(files)
  await work.run('push', '--quiet', 'origin', 'main')
  return { project, url, work, head }
}

export async function cloneOf(url: string, ...args: readonly string[]): Promise<Clone> {
  return git().clone(url, fresh(), ...args)
}

/** The row of a project's repository. */
export async function rowOf(project: { readonly id: number }) {
  const found = await w.running.services.repositories.ofProject(project.id)
  if (found === undefined) throw new Error('there is no repository')
  return found.row
}

/** What the events tell of pushes to a project, oldest first. */
export async function pushesTo({ namespaceId }: { readonly namespaceId: number }) {
  const rows = await w.db
    .selectFrom('facts')
    .select(['details', 'actor_id'])
    .where('namespace_id', '=', namespaceId)
    .where('name', '=', 'references pushed')
    .orderBy('id')
    .execute()
  return rows.map(({ details, actor_id }) => ({ ...Object(details), actor_id }))
}
