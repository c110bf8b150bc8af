import { roleTitles } from '#platform/access/roles.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'
import type { Changes } from './changes.ts'
import type { FactName, FactOf } from './fact.ts'

/** Whose list an event is in: a group or project by its namespace, a user, the instance, or what is gone by now. */
export type Entity =
  | { readonly namespace: number }
  | { readonly user: number }
  | { readonly type: 'Group' | 'Project'; readonly id: number; readonly path: string }
  | 'instance'

/** What it was done to. Of users and groups the name is looked up; of others it is told. */
export interface Target {
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
  /** How somebody signed in. */
  readonly with?: string
  readonly custom_message?: string
}

/** One audit event. */
export interface AuditEvent {
  readonly event: string
  readonly entity: Entity
  /** The entity itself unless said. */
  readonly target?: Target
  readonly details: AuditDetails
}

/** What an auditor is told of a kind of fact. */
export interface Audited<Name extends FactName> {
  /** The names of all events that it can be; `<field>` stands for the name of what was changed. */
  readonly events: readonly string[]
  readonly tell: (fact: FactOf<Name>, authorId: number | null) => readonly AuditEvent[]
}

type Tell<Name extends FactName> = (
  fact: FactOf<Name>,
  authorId: number | null,
) => Omit<AuditEvent, 'event' | 'entity'> & { readonly entity?: Entity }

/** A fact that is one event, about its place or, without one, about the user that it was done to. */
export function event<Name extends FactName>(name: string, tell: Tell<Name>): Audited<Name> {
  return {
    events: [name],
    tell: (fact, authorId) => [{ event: name, entity: entityOf(fact), ...tell(fact, authorId) }],
  }
}

/** A fact that is an event for each thing changed. */
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

/** The event names of fields that have one of their own. */
export type FieldNames = Readonly<Record<string, string>>

/** An event for each field that is different: `<noun>_<field>_updated` unless it has a name of its own. */
export function changeEvents(
  noun: string,
  own: FieldNames,
  { fields, changes }: { readonly fields: readonly string[]; readonly changes?: Changes },
): Omit<AuditEvent, 'entity'>[] {
  const known = changes ?? Object.fromEntries(fields.map((field) => [field, {}]))
  return Object.entries(known).map(([field, change]) => ({
    event: own[field] ?? `${noun}_${field}_updated`,
    details: { change: inWords(field), ...change },
  }))
}

/** All that {@link changeEvents} can be. */
export const changeEventNames = (noun: string, own: FieldNames): string[] => [
  ...new Set(Object.values(own)),
  `${noun}_<field>_updated`,
]

export const inWords = (name: string): string => name.replaceAll('_', ' ')

export const user = (id: number): Target => ({ type: 'User', id })
export const group = (id: number): Target => ({ type: 'Group', id })
export const named = (target: Target | null, name: string) =>
  target === null ? {} : { target: { ...target, name } }
/** Whoever keeps something has it in their list. */
export const whose = (id: number | null) => ({ entity: id === null ? ('instance' as const) : { user: id } })
export const role = (level: number) => roleTitles[level] ?? String(level)
export const until = (day: string | null) => (day === null ? 'without an end' : `until ${day}`)
export const says = (custom_message: string) => ({ details: { custom_message } })

/**
 * What of all that happens an administrator is asked about later. A fact that is not here costs nothing; a further one is
 * a line here and one in docs/guides/audit-events.md. Event names are those that other programs filter by, or else
 * the fact in their form; they stay for ever.
 */
export type AuditedFacts = { readonly [Name in FactName]?: Audited<Name> }

/** The audited facts of all features. */
export const auditedFacts = new ExtensionPoint<AuditedFacts>('the list of audited facts')
