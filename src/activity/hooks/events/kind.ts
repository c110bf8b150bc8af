import type { Repositories } from '#code/repositories/repositories.ts'
import type { Plan } from '#platform/access/route-access.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Fact, FactName, FactOf } from '#platform/facts/fact.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import type { Trigger } from '../triggers.ts'

/** A domain event as it waits for its deliveries. */
export type StoredEvent<Name extends FactName = FactName> = FactOf<Name> & {
  readonly id: number
  readonly at: string
  readonly actorId: number | null
  /** What could no longer be looked up: see consume-facts.ts. */
  readonly seen: EventSubject | null
}

/** What a fact was about, at its moment. */
export interface EventSubject {
  /** Of an issue, a note on one, or a reaction to either. */
  readonly confidential?: boolean
  /** Of a project, group or user. */
  readonly name?: string
  readonly path?: string
  readonly visibility?: string
  readonly namespace_id?: number
  readonly username?: string
  readonly email?: string
  readonly state?: string
  readonly created_at?: string
  readonly updated_at?: string
}

/** What some hooks are told. */
export interface HookEvent {
  /** Hooks of projects and groups learn of it, or those of the instance. */
  readonly to: 'containers' | 'system'
  /** A hook must have all of them; those of the instance learn of events without any, too. */
  readonly triggers: readonly Trigger[]
  /** `X-Gitlab-Event`; hooks of the instance get `System Hook`. */
  readonly name: string
  readonly data: Readonly<Record<string, unknown>>
  /** The branch that was pushed to. */
  readonly branch?: string
}

/** What makes payloads. */
export interface BuildContext {
  readonly db: Db
  readonly repositories: Repositories
  readonly settings: Settings
  /** The plan that today's license gives. */
  readonly currentPlan: () => Plan
  /** Where the web pages are. */
  readonly site: string
  readonly now: Date
}

/** Which hooks may want a fact, as cheaply as it can be told. */
export interface Concern {
  /** Hooks of projects and groups with one of these. */
  readonly triggers: readonly Trigger[]
  /** Hooks of the instance: all, those with one of the triggers, or none. */
  readonly system: 'all' | 'triggered' | 'none'
}

/** Events of a kind, made of facts. Those of one transaction about one thing come together. */
export interface EventKind {
  readonly facts: readonly FactName[]
  concern(fact: Fact): Concern | undefined
  /** By default facts about the same target come together; with this, all of a transaction. */
  readonly together?: true
  build(facts: readonly StoredEvent[], context: BuildContext): Promise<readonly HookEvent[]>
}

interface Definition<Name extends FactName> {
  readonly facts: readonly Name[]
  readonly concern: (fact: FactOf<Name>) => Concern | undefined
  readonly together?: true
  readonly build: (
    facts: readonly StoredEvent<Name>[],
    context: BuildContext,
  ) => Promise<readonly HookEvent[]>
}

export function eventKind<const Name extends FactName>(definition: Definition<Name>): EventKind {
  const names: readonly string[] = definition.facts
  const isOne = (fact: Fact): fact is Fact & FactOf<Name> => names.includes(fact.name)
  const isStored = (fact: StoredEvent): fact is StoredEvent & StoredEvent<Name> => names.includes(fact.name)
  return {
    facts: definition.facts,
    ...(definition.together && { together: true as const }),
    concern: (fact) => (isOne(fact) ? definition.concern(fact) : undefined),
    build: (facts, context) => definition.build(facts.filter(isStored), context),
  }
}
