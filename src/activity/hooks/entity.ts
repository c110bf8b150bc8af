import type { Selectable } from 'kysely'
import { type Static, type TInteger, Type } from 'typebox'
import type { Hooks } from '#platform/db/schema.ts'
import { entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { alertStatuses, alertStatusOf } from './failures.ts'
import { branchFilterStrategies } from './parameters.ts'
import { type HookKind, type Trigger, triggersOf } from './triggers.ts'

const Keyed = Type.Array(Type.Object({ key: Type.String() }), { description: 'Without their values.' })

const flagsOf = (names: readonly Trigger[]) => Object.fromEntries(names.map((name) => [name, Type.Boolean()]))

const common = {
  id: integer(),
  url: Type.String({ description: 'With the names of its variables.' }),
  name: nullable(Type.String()),
  description: nullable(Type.String()),
  created_at: moment(),
  enable_ssl_verification: Type.Boolean(),
  alert_status: oneOf(alertStatuses),
  disabled_until: nullable(moment()),
  url_variables: Keyed,
  push_events_branch_filter: nullable(Type.String()),
  branch_filter_strategy: oneOf(branchFilterStrategies),
  custom_webhook_template: nullable(Type.String()),
  custom_headers: Keyed,
  token_present: Type.Boolean(),
  signing_token_present: Type.Boolean(),
}

const shape = Type.Object(common)

/** What all kinds of hooks show, with the triggers of their kind, and the id of their project or group. */
type PresentedHook = Static<typeof shape> & Readonly<Record<string, unknown>>

const hookEntityOf = (kind: HookKind, name: string, ownerId: Record<string, TInteger>) =>
  Type.Unsafe<PresentedHook>(entity(name, { ...common, ...ownerId, ...flagsOf(triggersOf[kind]) }))

/** A webhook as the API presents it. */
export const hookEntities: Readonly<Record<HookKind, ReturnType<typeof hookEntityOf>>> = {
  project: hookEntityOf('project', 'ProjectHook', { project_id: integer() }),
  group: hookEntityOf('group', 'GroupHook', { group_id: integer() }),
  system: hookEntityOf('system', 'SystemHook', {}),
}

/** A row of a hook with the keys of its secret values. */
export type HookRow = Pick<
  Selectable<Hooks>,
  | 'id'
  | 'uuid'
  | 'namespace_id'
  | 'name'
  | 'description'
  | 'url'
  | 'token'
  | 'signing_token'
  | 'triggers'
  | 'enable_ssl_verification'
  | 'push_events_branch_filter'
  | 'custom_webhook_template'
  | 'site'
  | 'failures'
  | 'paused_until'
  | 'created_at'
  | 'updated_at'
> & {
  readonly branch_filter_strategy: (typeof branchFilterStrategies)[number]
  readonly values: readonly HookValueRow[]
}

/** A custom header, or a variable of the URL. */
export interface HookValueRow {
  readonly kind: 'header' | 'variable'
  readonly key: string
  /** Base64 of what is sealed. */
  readonly sealed: string
}

/** The project, the group or the instance that a hook belongs to. */
export interface HookOwner {
  readonly kind: HookKind
  /** Of the project or group; 0 for the instance. */
  readonly id: number
  /** Null for the instance. */
  readonly namespaceId: number | null
}

/** @param now decides whether a pause has ended */
export function presentHook(row: HookRow, { kind, id }: HookOwner, now: Date): PresentedHook {
  const keys = (of: HookValueRow['kind']) =>
    row.values.filter((value) => value.kind === of).map(({ key }) => ({ key }))
  const flags = Object.fromEntries(triggersOf[kind].map((name) => [name, row.triggers.includes(name)]))
  const { alert_status, disabled_until } = alertStatusOf(row, now)
  return {
    id: row.id,
    url: row.url,
    name: row.name,
    description: row.description,
    created_at: iso(row.created_at),
    enable_ssl_verification: row.enable_ssl_verification,
    alert_status,
    disabled_until,
    url_variables: keys('variable'),
    push_events_branch_filter: row.push_events_branch_filter,
    branch_filter_strategy: row.branch_filter_strategy,
    custom_webhook_template: row.custom_webhook_template,
    custom_headers: keys('header'),
    token_present: row.token !== null,
    signing_token_present: row.signing_token !== null,
    ...(kind === 'project' && { project_id: id }),
    ...(kind === 'group' && { group_id: id }),
    ...flags,
  }
}
