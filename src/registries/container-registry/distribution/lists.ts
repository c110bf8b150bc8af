import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { RegistryError } from '../../oci/errors.ts'

/** Names of a page, and at most. */
const USUAL = 100
const MOST = 1_000

/** Which page of a list of names. */
export interface NamePage {
  readonly count: number
  readonly after: string
}

/** @throws 400 for a number that is none */
export function readPage(query: URLSearchParams): NamePage {
  const n = query.get('n')
  if (n !== null && !/^\d{1,9}$/.test(n))
    throw new RegistryError(400, 'PAGINATION_NUMBER_INVALID', 'n is not a number of names')
  return {
    count: Math.min(n === null ? USUAL : Number(n), MOST),
    after: (query.get('last') ?? '').slice(0, 255),
  }
}

export interface Names {
  readonly names: readonly string[]
  /** The last one, where others follow. */
  readonly last: string | undefined
}

/** The names of a page of tags, by their bytes. */
export async function tagNames(db: Db, repositoryId: number, page: NamePage): Promise<Names> {
  const rows = await db
    .selectFrom('container_tags')
    .select('name')
    .where('repository_id', '=', repositoryId)
    .where('name', '>', page.after)
    .orderBy('name')
    .limit(page.count + 1)
    .execute()
  return pageOf(
    rows.map(({ name }) => name),
    page,
  )
}

export function pageOf(found: readonly string[], { count }: NamePage): Names {
  const names = found.slice(0, count)
  return { names, last: found.length > count ? names.at(-1) : undefined }
}

/** Manifests that refer to another, on one page. */
const REFERRERS = 100

interface Referrer {
  readonly id: number
  readonly digest: string
  readonly size: number
  readonly media_type: string
  readonly artifact_type: string | null
  readonly annotations: unknown
}

/** What refers to a manifest, as it was pushed. @param after the number of the last one on the page before */
export async function referrersOf(
  db: Db,
  repositoryId: number,
  { hex, type, after }: { readonly hex: string; readonly type: string | null; readonly after: number },
) {
  const ofType = type === null ? sql`true` : sql`m.artifact_type = ${type}`
  const { rows } = await sql<Referrer>`
    select m.id, encode(m.digest, 'hex') as digest, m.size, m.media_type, m.artifact_type, m.annotations
    from container_manifests m
    where m.repository_id = ${repositoryId} and m.subject = ${Buffer.from(hex, 'hex')} and m.id > ${after} and ${ofType}
    order by m.id limit ${REFERRERS + 1}`.execute(db)
  const page = rows.slice(0, REFERRERS)
  return {
    next: rows.length > REFERRERS ? page.at(-1)?.id : undefined,
    manifests: page.map(({ digest, size, media_type, artifact_type, annotations }) => ({
      mediaType: media_type,
      digest: `sha256:${digest}`,
      size,
      ...(artifact_type !== null && { artifactType: artifact_type }),
      ...(annotations !== null && { annotations }),
    })),
  }
}
