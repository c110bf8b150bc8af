import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { onlyOne } from '#platform/sequences.ts'
import { iso } from '#platform/http/time.ts'
import { servedStatuses } from '../../packages/types.ts'
import { compareVersions } from '../semantic-versions.ts'

/** A package in the projects where it may be read. */
export interface FoundPackage {
  readonly name: string
  /** Those that have it, the one that counts first. */
  readonly projectIds: readonly number[]
}

/** The versions that tags stand for. */
export async function tagsOf(db: Db, { name, projectIds }: FoundPackage): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('package_tags as t')
    .innerJoin('packages as k', 'k.id', 't.package_id')
    .select(['t.name', 'k.version'])
    .where('t.project_id', '=', (eb) => eb.fn.any(eb.val([...projectIds])))
    .where('t.package_type', '=', 'npm')
    .where('t.package_name', '=', name)
    .where('k.status', 'in', [...servedStatuses])
    .orderBy('t.updated_at')
    .execute()
  return new Map(rows.flatMap((row) => (row.version === null ? [] : [[row.name, row.version]])))
}

/**
 * An entity tag that changes with every version and tag; undefined when there is no such package. Every row counts with the transaction
 * that wrote it: times and numbers of transactions do not say which of two changes came last, because the one that began first may end last.
 */
export async function entityTagOf(db: Db, { name, projectIds }: FoundPackage): Promise<string | undefined> {
  const projects = sql`any(${[...projectIds]}::bigint[])`
  const { rows } = await sql<{ versions: string | null; tags: string | null }>`
    select (select sum(hashint8extended(id, xmin::text::bigint)) from packages
        where project_id = ${projects} and package_type = 'npm' and name = ${name}
          and status in ('default', 'hidden', 'deprecated')) as versions,
      (select sum(hashtextextended(name, xmin::text::bigint)) from package_tags
        where project_id = ${projects} and package_type = 'npm' and package_name = ${name}) as tags`.execute(
    db,
  )
  const { versions, tags } = onlyOne(rows)
  if (versions === null) return undefined
  const state = JSON.stringify([projectIds, versions, tags])
  return `"${createHash('sha256').update(state).digest('hex')}"`
}

/** Rows that are in memory at once. */
const AT_ONCE = 500

interface Version {
  readonly version: string
  readonly created_at: string
  /** The manifest as JSON. */
  readonly manifest: string
}

/** What clients of npm learn of a package: every version with its manifest, as JSON in pieces. */
export async function* metadataOf(db: Db, found: FoundPackage, site: string): AsyncGenerator<string> {
  const { name } = found
  const foundTags = tagsOf(db, found)
  // The first versions are looked up meanwhile, and nobody waits for tags when those are refused.
  foundTags.catch(() => undefined)
  const times: string[] = []
  const seen = new Set<string>()
  let latest: string | undefined
  yield `{"_id":${JSON.stringify(name)},"name":${JSON.stringify(name)},"versions":{`
  for await (const batch of batchesOf(db, found, site)) {
    const tags = await foundTags
    const fresh = batch.filter(({ version }) => !seen.has(version))
    if (fresh.length === 0) continue
    const before = seen.size === 0 ? '' : ','
    for (const { version, created_at } of fresh) {
      seen.add(version)
      times.push(`${JSON.stringify(version)}:"${iso(created_at)}"`)
      if (!tags.has('latest') && (latest === undefined || isLater(version, latest))) latest = version
    }
    yield before + fresh.map(({ version, manifest }) => `${JSON.stringify(version)}:${manifest}`).join(',')
  }
  const tags = await foundTags
  // Without that tag, clients would find no version unless they name one.
  if (latest !== undefined) tags.set('latest', latest)
  yield `},"dist-tags":${JSON.stringify(Object.fromEntries(tags))},"time":{${times.join(',')}}}`
}

/** Releases come before what leads to them. */
function isLater(version: string, than: string): boolean {
  const [isRelease, wasRelease] = [!version.includes('-'), !than.includes('-')]
  return isRelease === wasRelease ? compareVersions(version, than) > 0 : isRelease
}

/** The versions of each project in turn. The next are looked up while a client gets those before. */
async function* batchesOf(
  db: Db,
  { name, projectIds }: FoundPackage,
  site: string,
): AsyncGenerator<readonly Version[]> {
  for (const projectId of projectIds) {
    const before = `${site}/api/v4/projects/${projectId}/packages/npm/${name}/-/${name}-`
    const batchAfter = async (after: string) => {
      const { rows } = await sql<Version>`
        select k.version, k.created_at, jsonb_set(k.metadata, '{dist,tarball}',
            to_jsonb(${before}::text || k.version || '.tgz'))::text as manifest
          from packages k
          where k.project_id = ${projectId} and k.package_type = 'npm' and k.name = ${name}
            and k.status in ('default', 'hidden', 'deprecated') and k.version > ${after}
          order by k.version limit ${AT_ONCE}`.execute(db)
      return rows
    }
    let batch = await batchAfter('')
    for (let last = batch.at(-1); last !== undefined; last = batch.at(-1)) {
      const next = batch.length < AT_ONCE ? Promise.resolve([]) : batchAfter(last.version)
      // Nobody waits for it when the client goes away meanwhile.
      next.catch(() => undefined)
      yield batch
      batch = await next
    }
  }
}

/** The file of a version by the name that clients ask for, with its scope or without. */
export const fileNameIn = (name: string, fileName: string): string =>
  fileName.includes('/') || !name.includes('/') ? fileName : `${name.slice(0, name.indexOf('/'))}/${fileName}`
