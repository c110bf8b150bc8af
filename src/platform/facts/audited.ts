import { roleTitles } from '#platform/access/roles.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'
import type { Changes } from './changes.ts'
import type { FactName, FactOf } from './fact.ts'

/**
 * Whose list an event is in: a group or project by its namespace, a user, the instance, or a group or project that is
 * gone.
 */
export type Entity =
  | { readonly namespace: number }
  | { readonly user: number }
  | { readonly type: 'Group' | 'Project'; readonly id: number; readonly path: string }
  | 'instance'

/** What the event was done to. Names of users and groups are looked up; other targets carry their name. */
export interface AuditTarget {
  readonly type: string
  readonly id: number
  readonly name?: string
}

/** What was done, in the words that clients know. */
export interface AuditDetails {
  readonly change?: string
  readonly from?: string | null
  readonly to?: string | null
  readonly add?: string
  readonly remove?: string
  /** A role. */
  readonly as?: string
  /** How the user signed in. */
  readonly with?: string
  readonly custom_message?: string
}

/** One audit event. */
export interface AuditEvent {
  readonly event: string
  readonly entity: Entity
  /** By default the entity itself. */
  readonly target?: AuditTarget
  readonly details: AuditDetails
}

/** How a kind of fact becomes audit events. */
export interface Audited<Name extends FactName> {
  /** The names of all events that the fact can become; `<field>` stands for the name of the changed field. */
  readonly events: readonly string[]
  readonly tell: (fact: FactOf<Name>, authorId: number | null) => readonly AuditEvent[]
}

type Tell<Name extends FactName> = (
  fact: FactOf<Name>,
  authorId: number | null,
) => Omit<AuditEvent, 'event' | 'entity'> & { readonly entity?: Entity }

/** A fact that becomes one event, about its namespace or, without one, about the user that it was done to. */
export function event<Name extends FactName>(name: string, tell: Tell<Name>): Audited<Name> {
  return {
    events: [name],
    tell: (fact, authorId) => [{ event: name, entity: entityOf(fact), ...tell(fact, authorId) }],
  }
}

/** A fact that becomes one event for each thing changed. */
export function eventForEach<Name extends FactName>(
  names: readonly string[],
  tell: (fact: FactOf<Name>) => Iterable<Omit<AuditEvent, 'entity'> & { readonly entity?: Entity }>,
): Audited<Name> {
  return {
    events: names,
    tell: (fact) => Array.from(tell(fact), (telling) => ({ entity: entityOf(fact), ...telling })),
  }
}

interface Happened {
  readonly namespace: number | null
  readonly target: { readonly type: string; readonly id: number } | null
}

function entityOf({ namespace, target }: Happened): Entity {
  if (target?.type === 'User' && namespace === null) return { user: target.id }
  return namespace === null ? 'instance' : { namespace }
}

/** The event names of fields that have their own. */
export type FieldNames = Readonly<Record<string, string>>

/**
 * One event for each field that differs: `<noun>_<field>_updated` unless the field has its own name.
 * @param about what it was done to, if that is not the entity itself.
 */
export function changeEvents(
  noun: string,
  own: FieldNames,
  { fields, changes }: { readonly fields: readonly string[]; readonly changes?: Changes },
  about: Pick<AuditEvent, 'target'> = {},
): Omit<AuditEvent, 'entity'>[] {
  const known = changes ?? Object.fromEntries(fields.map((field) => [field, {}]))
  return Object.entries(known).map(([field, change]) => ({
    event: own[field] ?? `${noun}_${field}_updated`,
    details: { change: withSpaces(field), ...change },
    ...about,
  }))
}

/** The names of all events that {@link changeEvents} can make. */
export const changeEventNames = (noun: string, own: FieldNames): string[] => [
  ...new Set(Object.values(own)),
  `${noun}_<field>_updated`,
]

export const withSpaces = (name: string): string => name.replaceAll('_', ' ')

export const user = (id: number): AuditTarget => ({ type: 'User', id })
export const group = (id: number): AuditTarget => ({ type: 'Group', id })
export const namedTarget = (target: AuditTarget | null, name: string) =>
  target === null ? {} : { target: { ...target, name } }
/** An event about something with an owner is in the owner's list; without an owner, in the instance's. */
export const whose = (id: number | null) => ({ entity: id === null ? ('instance' as const) : { user: id } })
export const role = (level: number) => roleTitles[level] ?? String(level)
export const until = (day: string | null) => (day === null ? 'without an end' : `until ${day}`)
export const says = (custom_message: string) => ({ details: { custom_message } })

/**
 * The facts that administrators ask about later. A fact that is not here costs nothing. To audit another fact, add a
 * line here and one in docs/guides/audit-events.md. Event names are those that other programs filter by, or else the
 * fact in their form. They never change.
 */
export type AuditedFacts = { readonly [Name in FactName]?: Audited<Name> }

/** The audited facts of all features. */
export const auditedFacts = new ExtensionPoint<AuditedFacts>('the list of audited facts')
