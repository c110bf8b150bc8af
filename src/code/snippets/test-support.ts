import { expect } from 'vitest'
import type { Client } from '#test/client.ts'
import type { Visibility } from '#platform/db/schema.ts'
import { w } from '#test/world.ts'

/** Creates a snippet. @returns it as the API shows it */
export async function create(by: Client, at: string, more: object = {}) {
  const { status, body } = await by.post(at, {
    title: 'A title',
    visibility: 'private',
    file_name: 'a.txt',
    content: 'Text',
    ...more,
  })
  expect([status, body]).toEqual([201, expect.objectContaining({ id: expect.any(Number) })])
  return { ...body, path: `${at}/${body.id}` }
}

/** A project with a snippet of the developer. */
export async function withSnippet(
  visibility: Visibility = 'private',
  options: Parameters<typeof w.project>[0] = {},
) {
  const p = await w.project(options)
  const at = `/projects/${p.id}`
  const snippet = await create(p.developer, `${at}/snippets`, { visibility })
  return { p, at, snippet, path: `${at}/snippets/${snippet.id}` }
}

/** The domain events of a snippet, oldest first. */
export async function factsOf(id: number) {
  const rows = await w.db
    .selectFrom('facts')
    .select(['name', 'details', 'actor_id'])
    .where('target_type', '=', 'Snippet')
    .where('target_id', '=', id)
    .orderBy('id')
    .execute()
  return rows.map(({ details, ...row }) => ({ ...row, ...Object(details) }))
}
