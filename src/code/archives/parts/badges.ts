import { sql } from 'kysely'
import { recordset } from '#platform/db/recordset.ts'
import { Type } from 'typebox'
import { nullable, text } from '#platform/http/schema.ts'
import { checkUrls } from '#tenancy/badges/check-urls.ts'
import { definePart } from '../part.ts'

/** The project's own badges. */
export const badges = definePart({
  name: 'badges',
  most: 1_000,
  row: Type.Object({
    name: nullable(text()),
    link_url: text({ max: 2_048, filled: true }),
    image_url: text({ max: 2_048, filled: true }),
  }),
  readAfter: (db, { namespace_id }, last) =>
    db
      .selectFrom('badges')
      .select(['id', 'name', 'link_url', 'image_url'])
      .where('namespace_id', '=', namespace_id)
      .where('id', '>', last?.id ?? 0)
      .orderBy('id')
      .limit(200)
      .execute(),
  async write(tx, { namespace_id }, rows) {
    for (const urls of rows) checkUrls(urls)
    await sql`
      insert into badges (namespace_id, name, link_url, image_url, created_at, updated_at)
      select ${namespace_id}, x.name, x.link_url, x.image_url, ${tx.now}::timestamptz, ${tx.now}::timestamptz
      from ${recordset('badges', rows)} as x`.execute(tx.db)
  },
})
