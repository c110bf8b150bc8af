import type { DeclaredRoute } from '#platform/http/declared-routes.ts'
import type { Visibility } from '#platform/db/schema.ts'
import { type Place, w } from '#test/world.ts'
import type { Asking, ProjectPlace, RouteExpectation } from './route-expectation.ts'

export type InPlace = Exclude<RouteExpectation, { in: 'instance' }>

export const nameOf = ({ method, url }: DeclaredRoute) => `${method} ${url.replace('/api/v4', '')}`

/** `labels` of `/projects/:id/labels/:label_id`: the first fixed part below the place, or the first of all. */
const resourceOf = ({ url }: DeclaredRoute) => {
  const [first, ...below] = url.replace('/api/v4/', '').split('/')
  return `${first} ${below.find((part) => !part.startsWith(':')) ?? ''}`
}

/** How credentials are taken: routes with the same declaration share the code that reads them. */
const kindOf = ({ method, access }: DeclaredRoute) => {
  const { scopes, anonymous, withoutCredentials, tier, featureFlag, personalTokenOnly, jobToken, page } =
    access
  const declared = [
    scopes,
    anonymous,
    withoutCredentials,
    tier,
    featureFlag,
    personalTokenOnly,
    jobToken,
    page,
  ]
  return `${method === 'GET'} ${JSON.stringify(declared)}`
}

/**
 * The first route of each resource, and of each kind of declaration. All credentials that there are meet these, and few
 * meet the others: which credential is whose is looked up before the route is reached, by one hook for all routes.
 */
export function representatives(routes: readonly DeclaredRoute[]): ReadonlySet<DeclaredRoute> {
  const firstOf = (name: (route: DeclaredRoute) => string) =>
    new Map(routes.toReversed().map((route) => [name(route), route])).values()
  return new Set([...firstOf(resourceOf), ...firstOf(kindOf)])
}

/** What changes the place itself. Tests give it a place of its own; all other routes share a few. */
const changing = [
  /^DELETE \/(projects|groups)\/:id$/,
  /^(PUT|POST) \/(projects|groups)\/:id\/(transfer|archive|unarchive|star|unstar)$/,
]
export const changesPlace = (route: DeclaredRoute) => changing.some((one) => one.test(nameOf(route)))

/**
 * A request that would succeed. Its rows are made anew only after it has succeeded, because refusals change nothing, nor do
 * reads.
 */
export class Requests {
  readonly #route: DeclaredRoute
  readonly #make: () => Asking | Promise<Asking>
  #asking: Asking | undefined

  constructor(route: DeclaredRoute, make: () => Asking | Promise<Asking>) {
    this.#route = route
    this.#make = make
  }

  async next(): Promise<Asking> {
    return (this.#asking ??= await this.#make())
  }

  /** Says what the last one was answered. */
  answered(status: number): void {
    if (this.#route.method !== 'GET' && status < 400) this.#asking = undefined
  }
}

/** A place and the requests to one route in it. */
export interface Stage {
  readonly place: Place
  readonly requests: Requests
}

export async function stageOf(
  route: DeclaredRoute,
  expectation: InPlace,
  visibility: Visibility,
): Promise<Stage> {
  const own = changesPlace(route)
  if (expectation.in === 'group') {
    const place = await (own ? w.group({ visibility }) : sharedGroup(visibility))
    return { place, requests: new Requests(route, () => expectation.request(place, w)) }
  }
  const place = await (own ? w.project({ visibility }) : sharedProject(visibility))
  return { place, requests: new Requests(route, () => expectation.request(place, w)) }
}

const projects = new Map<Visibility, Promise<ProjectPlace>>()
const groups = new Map<Visibility, Promise<Place>>()

const sharedProject = (visibility: Visibility) => kept(projects, visibility, () => w.project({ visibility }))
const sharedGroup = (visibility: Visibility) => kept(groups, visibility, () => w.group({ visibility }))

/** The value of a key, made when it is asked for first. */
export function kept<Key, Value>(values: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = values.get(key) ?? make()
  values.set(key, value)
  return value
}
