import { until } from '#test/until.ts'
import type { World } from '#test/world.ts'
import type { Place } from '#test/world.ts'
import type { Asking, RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

const json = { destination_storage_name: 'second' }
const whole = { source_storage_name: 'second', destination_storage_name: 'default' }

/** States before the repository is on the other storage. */
const copying = ['initial', 'scheduled', 'started'] as const

interface Column {
  readonly project_id?: number
  readonly group_id?: number
  readonly snippet_id?: number
}

/** A move that is over, so that others may begin. */
async function made(w: World, column: Column): Promise<number> {
  const now = w.clock.now().toISOString()
  const { id } = await w.db
    .insertInto('repository_storage_moves')
    .values({
      ...column,
      state: 'finished',
      source_storage_name: 'second',
      destination_storage_name: 'default',
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

async function snippet(w: World): Promise<number> {
  const some = { title: 'Some', visibility: 'private', file_name: 'a.txt', content: 'Text' }
  return (await w.root.post('/snippets', some)).body.id
}

const inInstance = (status: number, request: (w: World) => Promise<Asking>): RouteExpectation => ({
  in: 'instance',
  lowest: 'administrator',
  status,
  request,
})

function ofAll(
  kind: 'project' | 'group' | 'snippet',
  column: (w: World) => Promise<Column>,
): RouteExpectations {
  const path = `/${kind}_repository_storage_moves`
  return {
    [`GET ${path}`]: inInstance(200, async () => ({ path })),
    [`GET ${path}/:repository_storage_id`]: inInstance(200, async (w) => ({
      path: `${path}/${await made(w, await column(w))}`,
    })),
    [`POST ${path}`]: inInstance(202, async () => ({ path, json: whole })),
  }
}

function ofOne(kind: 'project' | 'group', column: (id: number) => Column): RouteExpectations {
  const path = `/${kind}s/:id/repository_storage_moves`
  const at = ({ id }: Place) => path.replace(':id', String(id))
  const common = { in: kind, lowest: 'administrator' } as const
  return {
    [`GET ${path}`]: { ...common, status: 200, request: (place: Place) => ({ path: at(place) }) },
    [`GET ${path}/:repository_storage_id`]: {
      ...common,
      status: 200,
      request: async (place: Place, w: World) => ({
        path: `${at(place)}/${await made(w, column(place.id))}`,
      }),
    },
    [`POST ${path}`]: {
      ...common,
      status: 201,
      request: async (place: Place, w: World) => {
        // One at a time, back and forth.
        const earlier = w.db.selectFrom('repository_storage_moves').where(`${kind}_id`, '=', place.id)
        await until(async () => {
          const open = await earlier.where('state', 'in', copying).select('id').execute()
          if (open.length > 0) throw new Error('An earlier move still copies')
        })
        await w.db
          .updateTable('repository_storage_moves')
          .set({ state: 'failed' })
          .where(`${kind}_id`, '=', place.id)
          .execute()
        const now = await w.db
          .selectFrom('repositories')
          .select('storage')
          .where(`${kind}_id`, '=', place.id)
          .where('kind', '=', kind === 'project' ? 'project' : 'group_wiki')
          .executeTakeFirst()
        const other = now?.storage === 'second' ? 'default' : 'second'
        return { path: at(place), json: { destination_storage_name: other } }
      },
    },
  }
}

const some = '/snippets/:id/repository_storage_moves'

export const storageMoveExpectations: RouteExpectations = {
  ...ofAll('project', async (w) => ({ project_id: (await w.project()).id })),
  ...ofAll('group', async (w) => ({ group_id: (await w.group()).id })),
  ...ofAll('snippet', async (w) => ({ snippet_id: await snippet(w) })),
  ...ofOne('project', (project_id) => ({ project_id })),
  ...ofOne('group', (group_id) => ({ group_id })),
  [`GET ${some}`]: inInstance(200, async (w) => ({ path: some.replace(':id', String(await snippet(w))) })),
  [`GET ${some}/:repository_storage_id`]: inInstance(200, async (w) => {
    const snippet_id = await snippet(w)
    return { path: `${some.replace(':id', String(snippet_id))}/${await made(w, { snippet_id })}` }
  }),
  [`POST ${some}`]: inInstance(201, async (w) => ({
    path: some.replace(':id', String(await snippet(w))),
    json,
  })),
}
