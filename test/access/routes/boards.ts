import type { ProjectPlace, RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'
import { type Place, unique } from '#test/world.ts'

type Places = 'projects' | 'groups'
type Asked = { path: string; json?: unknown }

/** A fresh board of the place, by the owner. */
async function board(kind: Places, { id, owner }: Place): Promise<string> {
  const { body } = await owner.post(`/${kind}/${id}/boards`, { name: unique('board') })
  return `/${kind}/${id}/boards/${body.id}`
}

/** A fresh list of one. */
async function list(kind: Places, place: Place): Promise<string> {
  const path = await board(kind, place)
  const { body } = await place.owner.post(`${path}/lists`, { assignee_id: place.owner.id })
  return `${path}/lists/${body.id}`
}

const forMembers = { whileArchived: false, lowest: 'planner' } as const
const forReaders = { whileArchived: true, lowest: 'signed-in readers' } as const

function routesOf(
  kind: Places,
  expect: (
    who: typeof forMembers | typeof forReaders,
    status: number,
    request: (place: Place) => Promise<Asked>,
  ) => RouteExpectation,
): RouteExpectations {
  const at = `/${kind}/:id/boards`
  return {
    [`GET ${at}`]: expect(forReaders, 200, async ({ id }) => ({ path: `/${kind}/${id}/boards` })),
    [`GET ${at}/:board_id`]: expect(forReaders, 200, async (p) => ({ path: await board(kind, p) })),
    [`POST ${at}`]: expect(forMembers, 201, async ({ id }) => ({
      path: `/${kind}/${id}/boards`,
      json: { name: unique('board') },
    })),
    [`PUT ${at}/:board_id`]: expect(forMembers, 200, async (p) => ({
      path: await board(kind, p),
      json: { hide_backlog_list: true },
    })),
    [`DELETE ${at}/:board_id`]: expect(forMembers, 204, async (p) => ({ path: await board(kind, p) })),
    [`GET ${at}/:board_id/lists`]: expect(forReaders, 200, async (p) => ({
      path: `${await board(kind, p)}/lists`,
    })),
    [`GET ${at}/:board_id/lists/:list_id`]: expect(forReaders, 200, async (p) => ({
      path: await list(kind, p),
    })),
    [`POST ${at}/:board_id/lists`]: expect(forMembers, 201, async (p) => ({
      path: `${await board(kind, p)}/lists`,
      json: { assignee_id: p.owner.id },
    })),
    [`PUT ${at}/:board_id/lists/:list_id`]: expect(forMembers, 200, async (p) => ({
      path: await list(kind, p),
      json: { position: 0 },
    })),
    [`DELETE ${at}/:board_id/lists/:list_id`]: expect(forMembers, 204, async (p) => ({
      path: await list(kind, p),
    })),
  }
}

export const boardExpectations: RouteExpectations = {
  ...routesOf('projects', (who, status, request) => ({
    in: 'project',
    ...who,
    status,
    request: (place: ProjectPlace) => request(place),
  })),
  ...routesOf('groups', (who, status, request) => ({ in: 'group', ...who, status, request })),
}
