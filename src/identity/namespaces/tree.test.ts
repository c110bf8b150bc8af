import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { HttpError, meaningOf } from '#platform/http/errors.ts'
import { createGroup } from '#tenancy/groups/create-group.ts'
import { deleteGroup } from '#tenancy/groups/delete-group.ts'
import { transferGroup } from '#tenancy/groups/transfer-group.ts'
import { updateGroup } from '#tenancy/groups/update-group.ts'
import { createProject } from '#tenancy/projects/create-project.ts'
import { lockNode } from './lock.ts'
import { unique, w } from '#test/world.ts'

/**
 * Rows that do not agree with their parents, or are more visible, or are left under something hidden; of those made
 * since that one.
 */
async function wrongRows(since: number): Promise<unknown[]> {
  const { rows } = await sql`
    select n.id, n.full_path, n.full_name, n.traversal_ids, n.visibility, p.full_path as parent_path,
      p.traversal_ids as parent_ids, p.visibility as parent_visibility, p.deleted_at as parent_deleted
    from namespaces n left join namespaces p on p.id = n.parent_id
    where n.id >= ${since} and n.deleted_at is null and (
      n.full_path <> coalesce(p.full_path || '/', '') || n.path
      or n.full_name <> coalesce(p.full_name || ' / ', '') || n.name
      or n.traversal_ids <> coalesce(p.traversal_ids, '{}') || n.id
      or p.deleted_at is not null
      or (p.kind = 'group' and n.visibility > p.visibility))`.execute(w.db)
  return rows
}

type Step =
  | { readonly do: 'create' | 'project'; readonly at: number; readonly name: string }
  | { readonly do: 'rename'; readonly at: number; readonly name: string }
  | { readonly do: 'move'; readonly at: number; readonly to: number }
  | { readonly do: 'delete'; readonly at: number }

const name = fc.constantFrom('a', 'b', 'ab', 'ä', 'A', 'group', '💥')
const at = fc.nat(12)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create' as const), at, name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('project' as const), at, name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('rename' as const), at, name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('move' as const), at, to: at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), at }) },
)

/** The path of a name that may have any letters. */
const pathOf = (text: string) => text.replace(/[^a-z]/gi, 'x')

/** One step in the tree below a group; what it refuses is none. */
async function take(rootId: number, one: Step): Promise<void> {
  const nodes = await w.db
    .selectFrom('namespaces')
    .select(['id', 'parent_id', 'full_path'])
    .where('kind', '=', 'group')
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`traversal_ids @> array[${rootId}]::bigint[]`)
    .orderBy('id')
    .execute()
  const node = nodes[one.at % nodes.length]
  if (node === undefined) return
  const visibility = 'private' as const
  await w
    .write(async (tx) => {
      if (one.do === 'create') {
        const path = pathOf(one.name)
        await createGroup(tx, { name: one.name, path, visibility, parentId: node.id })
      }
      if (one.do === 'project') {
        const path = pathOf(one.name)
        await createProject(tx, { name: one.name, path, visibility, parentId: node.id })
      }
      if (one.do === 'rename' && node.id !== rootId) {
        await updateGroup(tx, await lockNode(tx, node.id), { name: one.name, path: pathOf(one.name) })
      }
      if (one.do === 'move' && node.id !== rootId) {
        await transferGroup(tx, node.id, nodes[one.to % nodes.length]?.id ?? rootId)
      }
      if (one.do === 'delete' && node.id !== rootId) await deleteGroup(tx, await lockNode(tx, node.id))
    })
    .catch((error: unknown) => expectRefusal(error))
}

/** Refusals and lost races are answers; anything else is a defect. */
function expectRefusal(error: unknown): void {
  const meaning = error instanceof HttpError ? error : meaningOf(error, undefined as never)
  if (meaning === undefined) throw error
  expect([400, 404]).toContain(meaning.status)
}

describe('the tree', () => {
  test('agrees with itself after any renames, moves and deletions', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const { id } = await w.write((tx) =>
          createGroup(tx, { name: 'root', path: unique('root'), visibility: 'private', parentId: null }),
        )
        for (const one of steps) await take(id, one)
        expect(await wrongRows(id)).toEqual([])
      }),
      { numRuns: 10 },
    )
  })

  test('and when all that happens at once', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 6, maxLength: 6 }), { minLength: 6, maxLength: 6 }),
        async (lanes) => {
          const { id } = await w.write((tx) =>
            createGroup(tx, { name: 'root', path: unique('root'), visibility: 'private', parentId: null }),
          )
          for (const path of ['a', 'b', 'ab']) await take(id, { do: 'create', at: 0, name: path })
          await Promise.all(
            lanes.map(async (steps) => {
              for (const one of steps) await take(id, one)
            }),
          )
          expect(await wrongRows(id)).toEqual([])
        },
      ),
      { numRuns: 3 },
    )
  })

  test('what is created while a group above is renamed, moved or deleted has the right path', async () => {
    for (let round = 0; round < 6; round += 1) {
      const top = await w.group()
      const middle = await w.group({ parent: top.id, path: 'middle' })
      const inner = await w.group({ parent: middle.id, path: 'inner' })
      const elsewhere = await w.group()
      await w.member(elsewhere.id, top.owner, 50)
      const created = ['a', 'b', 'c', 'd'].map((path) =>
        top.owner.post('/groups', { name: path, path, parent_id: inner.id }),
      )
      const changed = [
        top.owner.put(`/groups/${top.id}`, { path: unique('renamed') }),
        top.owner.post(`/groups/${middle.id}/transfer`, { group_id: elsewhere.id }),
        ...(round % 2 ? [top.owner.delete(`/groups/${middle.id}`)] : []),
      ]
      const answers = await Promise.all([...created, ...changed])
      for (const { status } of answers) expect([200, 201, 202, 404]).toContain(status)
      expect(await wrongRows(top.id)).toEqual([])
    }
  })
})
