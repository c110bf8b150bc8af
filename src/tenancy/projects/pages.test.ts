import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { type Answer, linkTo } from '#test/client.ts'
import { type Actor, unique, w } from '#test/world.ts'

const ids = ({ body }: Answer): number[] => body.map(({ id }: { id: number }) => id)

/** A group with a member, and a maker of projects in it. */
async function authorizeGroup() {
  const group = await w.group()
  const make = async (given: object = {}): Promise<number> => {
    const { status, body } = await group.owner.post('/projects', {
      name: unique('p'),
      namespace_id: group.id,
      ...given,
    })
    expect(status).toBe(201)
    return body.id
  }
  return { ...group, make }
}

describe('pages of projects', () => {
  const orders = fc.constantFrom('id', 'name', 'created_at', 'updated_at', 'last_activity_at', 'star_count')
  const sorts = fc.constantFrom('asc', 'desc')

  /** Twelve projects, one of which the reader may not see; many values are the same, so that ids decide. */
  async function twelve() {
    const { developer, make, id } = await authorizeGroup()
    await w.db
      .deleteFrom('members')
      .where('namespace_id', '=', id)
      .where('user_id', '=', developer.id)
      .execute()
    const made: number[] = []
    for (let count = 0; count < 12; count += 1) made.push(await make({ name: unique('n') }))
    const rows = await w.db
      .selectFrom('projects')
      .select(['id', 'project_namespace_id'])
      .where('id', 'in', made)
      .execute()
    const moment = '2026-01-01T00:00:00.000Z'
    for (const row of rows.slice(1)) {
      await w.member(row.project_namespace_id, developer, levels.reporter)
      const at = row.id % 3 === 0 ? {} : { created_at: moment, updated_at: moment }
      if (row.id % 3 !== 0) {
        await w.db.updateTable('namespaces').set(at).where('id', '=', row.project_namespace_id).execute()
        await w.db
          .updateTable('projects')
          .set({ last_activity_at: moment, star_count: row.id % 2 })
          .where('id', '=', row.id)
          .execute()
      }
    }
    return { reader: developer, visible: rows.slice(1).map(({ id }) => id), make, rows }
  }

  test('by number, in any sequence, give every visible project once and in order', async () => {
    const { reader, visible } = await twelve()
    await fc.assert(
      fc.asyncProperty(
        orders,
        sorts,
        fc.integer({ min: 1, max: 13 }),
        fc.infiniteStream(fc.nat()),
        async (by, sort, size, draw) => {
          const list = `/projects?membership=true&order_by=${by}&sort=${sort}`
          const whole = ids(await reader.get(`${list}&per_page=100`))
          expect(whole.toSorted((a, b) => a - b)).toEqual(visible.toSorted((a, b) => a - b))
          const numbers = Array.from({ length: Math.ceil(12 / size) }, (_, index) => index + 1)
          const shuffled = numbers
            .map((number) => ({ number, at: draw.next().value }))
            .toSorted((a, b) => a.at - b.at)
          for (const { number } of shuffled) {
            const page = ids(await reader.get(`${list}&per_page=${size}&page=${number}`))
            expect(page).toEqual(whole.slice((number - 1) * size, number * size))
          }
        },
      ),
      { numRuns: 12 },
    )
  })

  test('by key give every project once and in order while others are made', async () => {
    const { reader, visible, make, rows } = await twelve()
    await fc.assert(
      fc.asyncProperty(sorts, fc.integer({ min: 1, max: 6 }), async (sort, size) => {
        const seen: number[] = []
        let rounds = 0
        let url: string | undefined =
          `/projects?membership=true&pagination=keyset&order_by=id&sort=${sort}&per_page=${size}`
        while (url !== undefined) {
          const page: Answer = await reader.get(url)
          seen.push(...ids(page))
          if ((rounds += 1) <= 4) await addReader(await make(), reader)
          url = linkTo('next', page)
        }
        const before = seen.filter((id) => visible.includes(id))
        const inOrder = visible.toSorted((a, b) => (sort === 'asc' ? a - b : b - a))
        expect(before).toEqual(inOrder)
        expect(new Set(seen).size).toBe(seen.length)
        expect(seen).not.toContain(rows[0]?.id)
        // What was made meanwhile goes again, so that the next run begins with the same rows.
        await removeOthers(reader, visible)
      }),
      { numRuns: 5 },
    )
  })
})

async function addReader(projectId: number, reader: Actor): Promise<void> {
  const { project_namespace_id } = await w.db
    .selectFrom('projects')
    .select('project_namespace_id')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow()
  await w.member(project_namespace_id, reader, levels.reporter)
}

async function removeOthers(reader: Actor, keep: readonly number[]): Promise<void> {
  const nodes = w.db
    .selectFrom('projects')
    .select('project_namespace_id')
    .where('id', 'not in', [...keep])
  await w.db
    .deleteFrom('members')
    .where('user_id', '=', reader.id)
    .where('namespace_id', 'in', nodes)
    .execute()
}
