import type { Repositories } from '#code/repositories/repositories.ts'
import type { Plan } from '#platform/access/route-access.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Fact, FactName, FactOf } from '#platform/facts/fact.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import type { Trigger } from '../triggers.ts'

/** A domain event that waits for its payload, as a row of `hook_facts`. */
export type StoredFact<Name extends FactName = FactName> = FactOf<Name> & {
  readonly id: number
  readonly at: string
  readonly actorId: number | null
  /** The subject at the moment of the fact, if a later look-up could find it gone or changed: see consume-facts.ts. */
  readonly seen: FactSubject | null
}

/** The fields of a fact's subject at that moment. */
export interface FactSubject {
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

/** A payload, before it is stored and sent to the hooks that want it. */
export interface HookPayload {
  /** The hooks that may get it. */
  readonly to: 'project and group hooks' | 'system hooks'
  /** A hook gets the payload if it has all these triggers. A payload without triggers goes to every system hook. */
  readonly triggers: readonly Trigger[]
  /** The header `X-Gitlab-Event`; system hooks get `System Hook`. */
  readonly name: string
  readonly data: Readonly<Record<string, unknown>>
  /** The branch that was pushed to. */
  readonly branch?: string
}

/** What payloads are made with. */
export interface BuildContext {
  readonly db: Db
  readonly repositories: Repositories
  readonly settings: Settings
  /** The plan that today's license gives. */
  readonly currentPlan: () => Plan
  /** Where the web pages are. */
  readonly site: string
  /** What addresses for git over SSH begin with; undefined where there is none. */
  readonly sshSite: () => string | undefined
  readonly now: Date
}

/** The hooks that may want a fact. Finding them out is cheap, because it happens for every fact. */
export interface InterestedHooks {
  /** Project and group hooks with one of these triggers. */
  readonly triggers: readonly Trigger[]
  /** System hooks: all, those with one of the triggers, or none. */
  readonly system: 'all' | 'triggered' | 'none'
}

/** Makes payloads of some facts. It gets those of one transaction about one target together. */
export interface PayloadKind {
  readonly facts: readonly FactName[]
  interestedHooks(fact: Fact): InterestedHooks | undefined
  /** With this, it gets all such facts of a transaction together, whatever their target. */
  readonly together?: true
  build(facts: readonly StoredFact[], context: BuildContext): Promise<readonly HookPayload[]>
}

interface Definition<Name extends FactName> {
  readonly facts: readonly Name[]
  readonly interestedHooks: (fact: FactOf<Name>) => InterestedHooks | undefined
  readonly together?: true
  readonly build: (
    facts: readonly StoredFact<Name>[],
    context: BuildContext,
  ) => Promise<readonly HookPayload[]>
}

export function payloadKind<const Name extends FactName>(definition: Definition<Name>): PayloadKind {
  const names: readonly string[] = definition.facts
  const isOne = (fact: Fact): fact is Fact & FactOf<Name> => names.includes(fact.name)
  const isStored = (fact: StoredFact): fact is StoredFact & StoredFact<Name> => names.includes(fact.name)
  return {
    facts: definition.facts,
    ...(definition.together && { together: true as const }),
    interestedHooks: (fact) => (isOne(fact) ? definition.interestedHooks(fact) : undefined),
    build: (facts, context) => definition.build(facts.filter(isStored), context),
  }
}
