import { pipeline, Readable } from 'node:stream'
import { stringify } from 'csv-stringify'
import { Type } from 'typebox'
import type { Db } from '#platform/db/pool.ts'
import type { LicenseSpan } from './current-license.ts'

/** The stream that {@link exportUsage} returns, for the description of the API. */
export const UsageExport = Type.Unsafe<Readable>({ type: 'string', contentMediaType: 'text/csv' })

/** Days read in one statement. */
const DAYS_PER_STATEMENT = 500

const columns = ['data', 'email', 'plan', 'starts_at', 'expires_at', 'company'] as const

/**
 * Exports the daily counts of a license as CSV, oldest first, in batches; without a license, all counts. Values that a
 * spreadsheet would take for formulas are escaped.
 *
 * @param now the time of the export, for the header.
 */
export function exportUsage(db: Db, licenseId: number | undefined, now: Date): Readable {
  const csv = stringify({ escape_formulas: true })
  // A failure destroys both ends, and with them the answer in progress.
  pipeline(Readable.from(rowsOf(db, licenseId, now)), csv, () => {})
  return csv
}

async function* rowsOf(db: Db, id: number | undefined, now: Date): AsyncGenerator<string[]> {
  const license =
    id === undefined
      ? undefined
      : await db.selectFrom('licenses').select(columns).where('id', '=', id).executeTakeFirst()
  yield ['License Key', license?.data ?? '']
  yield ['Email', license?.email ?? '']
  yield ['License Start Date', license?.starts_at ?? '']
  yield ['License End Date', license?.expires_at ?? '']
  yield ['Company', license?.company ?? '']
  yield ['Generated At', now.toISOString()]
  yield []
  yield ['Date', 'Billable User Count']
  yield* countsOf(db, license)
}

async function* countsOf(
  db: Db,
  license: Pick<LicenseSpan, 'plan' | 'starts_at' | 'expires_at'> | undefined,
): AsyncGenerator<string[]> {
  let last = '-infinity'
  for (;;) {
    const counts = await db
      .selectFrom('billable_user_counts')
      .select(['day', license?.plan === 'ultimate' ? 'above_guest as users' : 'everybody as users'])
      .where('day', '>', last)
      .$if(license !== undefined, (q) =>
        q.where('day', '>=', license?.starts_at ?? '').where('day', '<', license?.expires_at ?? ''),
      )
      .orderBy('day')
      .limit(DAYS_PER_STATEMENT)
      .execute()
    for (const { day, users } of counts) yield [day, String(users)]
    last = counts.at(-1)?.day ?? ''
    if (counts.length < DAYS_PER_STATEMENT) return
  }
}
