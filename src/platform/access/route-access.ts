import type { FeatureFlagName } from '#platform/feature-flags/definitions.ts'
import type { GroupAbility, ProjectAbility } from './abilities.ts'
import type { DeployTokenScope } from './deploy-token-scopes.ts'
import type { NestedResource } from './nested-resource.ts'
import type { Scope } from './scopes.ts'

export type Plan = 'free' | 'premium' | 'ultimate'
export type Offering = 'self-managed' | 'hosted' | 'dedicated'

/** What a route is about, and which ability it requires. */
export type Subject =
  /** Everybody signed in; with `anonymous`, everybody. */
  | { readonly kind: 'anyone' }
  /** Administrators of the instance. */
  | { readonly kind: 'admin' }
  | ContainerSubject

/** A project or group that the path names. */
export type ContainerSubject = InContainer<'project', ProjectAbility> | InContainer<'group', GroupAbility>

interface InContainer<Kind, Ability> {
  readonly kind: Kind
  readonly ability: Ability
  /** The path parameter that names it. */
  readonly param: string
  /** What the path names in it. */
  readonly nested?: NestedResource
}

export const anyone: Subject = { kind: 'anyone' }
export const admin: Subject = { kind: 'admin' }
export const project = (ability: ProjectAbility, param = 'id'): ContainerSubject => ({
  kind: 'project',
  ability,
  param,
})
export const group = (ability: GroupAbility, param = 'id'): ContainerSubject => ({
  kind: 'group',
  ability,
  param,
})

/** The same subject, for paths that also name a resource in it. */
export const withNested = (subject: ContainerSubject, nested: NestedResource): ContainerSubject => ({
  ...subject,
  nested,
})

/** A restriction of an area to plans or offerings, as the specification states it. */
export interface Tier {
  /** Names the area in the refusal: `403 Forbidden - <area> needs <plan>`. */
  readonly licensedArea: string
  readonly plan: Plan
  /** The offerings that have the area; by default all. */
  readonly offerings?: readonly Offering[]
  /** The offerings in which the area needs the plan; by default all. */
  readonly planOn?: readonly Offering[]
}

/** What every route declares. The server does not start when a route lacks it. */
export interface RouteAccess {
  readonly subject: Subject
  /** The token needs one of these scopes. An empty list accepts any token. */
  readonly scopes: readonly Scope[]
  /** Whether callers without credentials may use the route. */
  readonly anonymous: boolean
  /** The status for callers without credentials where they may not; by default 401. */
  readonly withoutCredentials?: 403
  readonly tier: Tier | undefined
  /** The route is hidden from callers, and for resources, for which this feature flag is off. */
  readonly featureFlag?: FeatureFlagName
  /** Only a personal (or impersonation) access token may be used. */
  readonly personalTokenOnly?: true
  /** The token of a job may be used, too. No other route takes one. */
  readonly jobToken?: true
  /** The token of a user for feeds may be used, too. No other route takes one. */
  readonly feedToken?: true
  /** Deploy tokens with one of these scopes may be used, too. No other route takes one. */
  readonly deployToken?: readonly DeployTokenScope[]
  /**
   * Strangers are asked for credentials (RFC 9110 §11.6.1), also about what they cannot see: for programs that send theirs only then,
   * such as package managers.
   */
  readonly challenge?: true
  /** Skips the order of checks: for pages outside the API, such as health. */
  readonly outside?: true
  /** A page for people in browsers, identified by their session alone; see platform/http/browser-sessions.ts. */
  readonly page?: 'signed in' | 'anyone'
}

interface Options {
  readonly anonymous?: boolean
  readonly withoutCredentials?: 403
  readonly scopes?: readonly Scope[]
  readonly tier?: Tier
  readonly featureFlag?: FeatureFlagName
  readonly jobToken?: true
  readonly feedToken?: true
  readonly deployToken?: readonly DeployTokenScope[]
  readonly challenge?: true
}

/** A route that only reads: the scope `read_api` is enough. */
export function reads(subject: Subject, options: Options = {}): { access: RouteAccess } {
  const { anonymous = false, scopes = ['api', 'read_api'], tier, ...more } = options
  return { access: { subject, scopes, anonymous, tier, ...more } }
}

/** A route that changes something. Anonymous callers may never use it. */
export function writes(
  subject: Subject,
  options: Omit<Options, 'anonymous' | 'withoutCredentials'> & Pick<RouteAccess, 'personalTokenOnly'> = {},
): { access: RouteAccess } {
  const { scopes = ['api'], tier, ...more } = options
  return { access: { subject, scopes, anonymous: false, tier, ...more } }
}

/** A page outside the API, for everybody. */
export const outside: { access: RouteAccess } = {
  access: { subject: anyone, scopes: [], anonymous: true, tier: undefined, outside: true },
}

/** A page for people in browsers. `signed in` sends everybody else to the sign-in page first. */
export const page = (who: 'signed in' | 'anyone'): { access: RouteAccess } => ({
  access: { ...outside.access, page: who },
})
