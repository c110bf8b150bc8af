import { expect } from 'vitest'
import { NO_OBJECT } from '#code/git/names.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import { changeReferences } from '#code/repositories/change-references.ts'
import type { Visibility } from '#platform/db/schema.ts'
import { Client } from '#test/client.ts'
import { commits } from '#test/repositories.ts'
import { type Place, w, type World } from '#test/world.ts'

const licensed = await w.licensed()

/** The same person as a client of that server. */
export const on = ({ headers }: Client): Client => new Client(licensed.url, headers)

export const containers = ['projects', 'groups'] as const
export type Container = (typeof containers)[number]

export interface WithWiki extends Place {
  readonly container: Container
  readonly namespaceId: number
  /** `/projects/12`. */
  readonly at: string
  /** `/projects/12/wikis`. */
  readonly wikis: string
}

/** A project or group, whose wiki is empty. */
export async function placeWithWiki(
  container: Container,
  visibility: Visibility = 'private',
): Promise<WithWiki> {
  const place =
    container === 'projects'
      ? await w.project({ visibility })
      : await w.group({ visibility }).then((group) => ({ ...group, namespaceId: group.id }))
  const at = `/${container}/${place.id}`
  return { ...place, container, at, wikis: `${at}/wikis` }
}

/** Writes a page. @returns it as the API shows it */
export async function write(place: WithWiki, title: string, content = `About ${title}`) {
  const { status, body } = await on(place.developer).post(place.wikis, { title, content })
  expect([status, body]).toEqual([201, expect.objectContaining({ content })])
  return body
}

/** The URL of a wiki for git. */
export const gitUrl = (token: string | undefined, path: string): string =>
  `${token === undefined ? licensed.url : licensed.url.replace('://', `://oauth2:${token}@`)}/${path}.wiki.git`

/** What the events tell of pages, oldest first. */
export async function factsOf({ namespaceId }: { readonly namespaceId: number }) {
  const rows = await w.db
    .selectFrom('facts')
    .select(['name', 'details', 'actor_id', 'target_type', 'target_id'])
    .where('namespace_id', '=', namespaceId)
    .where('name', 'like', 'wiki page %')
    .orderBy('id')
    .execute()
  return rows.map(({ details, ...row }) => ({ ...row, ...Object(details) }))
}

/** Fills the wiki of a project with pages in 50 folders, as one push does: `folder-7/page-57`. */
export async function fillWiki({ running }: World, project: number, pages: number): Promise<void> {
  const { repositories } = running.services
  const repository = await repositories.ensure({ kind: 'wiki', project })
  const files = Object.fromEntries(
    Array.from({ length: pages }, (_, index) => [`folder-${index % 50}/page-${index}.md`, `Page ${index}\n`]),
  )
  const stream = Buffer.concat([commits({ branch: 'import', files }), Buffer.from('done\n')])
  const args = ['fast-import', '--quiet', '--done']
  await repository.git.capture(repository, args, { input: stream, lane: 'write', time: 60_000 })
  const after = (await resolveCommit(repository, 'import')) ?? ''
  await changeReferences(repositories, repository, {
    changes: [{ ref: 'refs/heads/main', before: NO_OBJECT, after }],
    by: { author: null, ip: null },
    changer: null,
    cause: 'push',
  })
}
