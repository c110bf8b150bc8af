import { fileForm, uploaded } from '#planning/uploads/test-support.ts'
import {
  type Asking,
  onceIn,
  type ProjectPlace,
  type RouteExpectation,
  type RouteExpectations,
} from '#test/access/route-expectation.ts'
import type { Place } from '#test/world.ts'

type Kind = 'project' | 'group'
type Lowest = 'readers' | 'signed-in readers' | 'maintainer'

const kept = {
  project: onceIn((place) => uploaded(place.admin, `/projects/${place.id}`)),
  group: new Map<number, ReturnType<typeof uploaded>>(),
}

/** An upload that stays. */
function keptIn(kind: Kind, place: Place | ProjectPlace): ReturnType<typeof uploaded> {
  if (kind === 'project' && 'groupId' in place) return kept.project(place)
  const one = kept.group.get(place.id) ?? uploaded(place.admin, `/groups/${place.id}`)
  kept.group.set(place.id, one)
  return one
}

/** Routes of uploads below `/projects/:id` or `/groups/:id`. */
function expectationsOf(kind: Kind): RouteExpectations {
  const cell = (
    lowest: Lowest,
    status: number,
    request: (place: Place) => Promise<Asking>,
  ): RouteExpectation => ({ in: kind, lowest, status, whileArchived: status === 200, request })
  const uploads = ({ id }: Place) => `/${kind}s/${id}/uploads`
  const url = `/${kind}s/:id/uploads`
  return {
    [`POST ${url}`]: cell('signed-in readers', 201, async (p) => ({
      path: uploads(p),
      form: fileForm('x', 'x.txt'),
    })),
    [`GET ${url}`]: cell('maintainer', 200, async (p) => ({ path: uploads(p) })),
    [`GET ${url}/:upload_id`]: cell('maintainer', 200, async (p) => ({
      path: `${uploads(p)}/${(await keptIn(kind, p)).id}`,
    })),
    [`GET ${url}/:secret/:filename`]: cell('readers', 200, async (p) => ({
      path: `/${kind}s/${p.id}${(await keptIn(kind, p)).url}`,
    })),
    [`DELETE ${url}/:upload_id`]: cell('maintainer', 204, async (p) => ({
      path: `${uploads(p)}/${(await uploaded(p.admin, `/${kind}s/${p.id}`)).id}`,
    })),
    [`DELETE ${url}/:secret/:filename`]: cell('maintainer', 204, async (p) => ({
      path: `/${kind}s/${p.id}${(await uploaded(p.admin, `/${kind}s/${p.id}`)).url}`,
    })),
  }
}

export const uploadExpectations: RouteExpectations = {
  ...expectationsOf('project'),
  ...expectationsOf('group'),
}
