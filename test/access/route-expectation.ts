import type { Role } from '#platform/access/roles.ts'
import type { Sending } from '#test/client.ts'
import type { Place, World } from '#test/world.ts'

export type ProjectPlace = Place & { readonly groupId: number; readonly namespaceId: number }

/** A request that would succeed, with rows of its own. */
export interface Asking extends Sending {
  readonly path: string
}

interface Common {
  /** What the lowest permitted standing gets. */
  readonly status: number
  /** What somebody gets who may not, though they may read the place; 403 unless said. */
  readonly refusal?: number
  /** Whether it is heard while the place is archived; reads are unless said. */
  readonly whileArchived?: boolean
}

/**
 * What a route must answer whom, written down a second time: the route's own declaration must agree. `readers`
 * are all who may see the place; a role stands for itself and those above. `code readers` are Reporters and, where the
 * project is open to them, everybody else.
 */
export type RouteExpectation =
  | (Common & {
      readonly in: 'project'
      readonly lowest: 'readers' | 'code readers' | 'signed-in readers' | Role | 'administrator'
      request(place: ProjectPlace, w: World): Asking | Promise<Asking>
    })
  | (Common & {
      readonly in: 'group'
      readonly lowest: 'readers' | 'signed-in readers' | Role | 'administrator'
      request(place: Place, w: World): Asking | Promise<Asking>
    })
  | (Common & {
      readonly in: 'instance'
      readonly lowest: 'anonymous' | 'signed in' | 'administrator'
      /** What callers without credentials get where they are not heard; 401 unless said. */
      readonly nobody?: 403
      /** Whether the request uses up the token that it is made with: everybody gets one of their own for it. */
      readonly spendsToken?: true
      request(w: World): Asking | Promise<Asking>
    })

/** For rows that no request ends or counts on: they are made once in each place, for all routes that are about such a row. */
export function onceIn<Made>(
  make: (place: ProjectPlace) => Promise<Made>,
): (place: ProjectPlace) => Promise<Made> {
  const made = new Map<number, Promise<Made>>()
  return (place) => {
    const one = made.get(place.id) ?? make(place)
    made.set(place.id, one)
    return one
  }
}

/** `GET /projects/:id/labels` → what it must answer whom. */
export type RouteExpectations = Readonly<Record<string, RouteExpectation>>
