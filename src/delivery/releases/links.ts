import { sql } from 'kysely'
import type { ReleaseLinkType } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { badRequest, invalid, notFound, taken } from '#platform/refusals.ts'
import type { LinkRow } from './entity.ts'

/** What a request says of a link. */
export interface LinkWishes {
  readonly name?: string
  readonly url?: string
  readonly direct_asset_path?: string
  readonly filepath?: string
  readonly link_type?: ReleaseLinkType
}

/** The same of a new one. */
export type NewLink = LinkWishes & { readonly name: string; readonly url: string }

/** Links of one release. */
export const MAX_LINKS = 1_000

export const linkColumns = ['id', 'name', 'url', 'filepath', 'link_type'] as const

/** @throws 400 for what no link can be, and for two with the same name, URL or path */
export function assertLinks(wishes: readonly NewLink[]): void {
  const seen = new Set<string>()
  for (const wish of wishes) {
    checkedUrl(wish.url)
    const path = checkedPath(wish) ?? null
    for (const [attribute, value] of Object.entries({ name: wish.name, url: wish.url, filepath: path })) {
      const key = `${attribute} ${value}`
      if (value !== null && seen.has(key)) throw taken(attribute)
      seen.add(key)
    }
  }
}

/** Adds links to a release, which the caller has locked or made. @throws 400 for what no link can be */
export async function addLinks(
  tx: Tx,
  release: { readonly id: number; readonly links: readonly unknown[] },
  wishes: readonly NewLink[],
): Promise<LinkRow[]> {
  if (wishes.length === 0) return []
  if (release.links.length + wishes.length > MAX_LINKS)
    throw badRequest(`a release has at most ${MAX_LINKS} links: delete some first`)
  return tx.db
    .insertInto('release_links')
    .values(
      wishes.map((wish) => ({
        release_id: release.id,
        name: wish.name,
        url: checkedUrl(wish.url),
        filepath: checkedPath(wish) ?? null,
        link_type: wish.link_type ?? 'other',
        created_at: tx.now,
        updated_at: tx.now,
      })),
    )
    .returning(linkColumns)
    .execute()
}

/** Changes what is given of a link. @throws 404 when the release has none of that id, 400 as {@link addLinks} */
export async function updateLink(tx: Tx, releaseId: number, id: number, wish: LinkWishes): Promise<LinkRow> {
  const { name, url, link_type } = wish
  const filepath = checkedPath(wish)
  return tx.db
    .updateTable('release_links')
    .set({
      updated_at: tx.now,
      ...(name !== undefined && { name }),
      ...(url !== undefined && { url: checkedUrl(url) }),
      ...(filepath !== undefined && { filepath }),
      ...(link_type !== undefined && { link_type }),
    })
    .where('release_id', '=', releaseId)
    .where('id', '=', id)
    .returning(linkColumns)
    .executeTakeFirstOrThrow(() => notFound())
}

/** @throws 404 when the release has none of that id */
export async function deleteLink(tx: Tx, releaseId: number, id: number): Promise<LinkRow> {
  return tx.db
    .deleteFrom('release_links')
    .where('release_id', '=', releaseId)
    .where('id', '=', id)
    .returning(linkColumns)
    .executeTakeFirstOrThrow(() => notFound())
}

/** Answers and conditions see that a release has changed with its links. */
export async function touchRelease(tx: Tx, id: number): Promise<void> {
  await sql`update releases set updated_at = ${tx.now}::timestamptz where id = ${id}`.execute(tx.db)
}

function checkedUrl(text: string): string {
  // Parsing drops line breaks: what is kept would say something else than where it leads.
  if (/\p{Cc}/u.test(text)) throw invalid({ url: ['is invalid'] })
  if (!URL.canParse(text) || !/^(https?|ftp):\/\/[^/]/i.test(text))
    throw invalid({ url: ['is blocked: Only allowed schemes are http, https, ftp'] })
  return text
}

/** The path of a link; undefined when the request says nothing of it. An empty one takes it away. */
function checkedPath({ direct_asset_path, filepath }: LinkWishes): string | null | undefined {
  const path = direct_asset_path ?? filepath
  if (path === undefined) return undefined
  if (path === '') return null
  const parts = path.split('/').slice(1)
  if (
    !path.startsWith('/') ||
    parts.some((part) => part === '' || part === '.' || part === '..') ||
    /[^\w./ %+~@:()-]/.test(path)
  )
    throw invalid({ filepath: ['is in an invalid format'] })
  return path
}
