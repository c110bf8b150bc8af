import type { Fact, FactName, FactOf } from '#platform/facts/fact.ts'
import type { KindNumber } from './kinds.ts'

/** An event as a fact tells it. */
export interface EventOfFact {
  readonly kind: KindNumber
  readonly target_id?: number
  readonly details?: object
  /** The author of the event, if that is not the author of the fact: the person to whom it happened. */
  readonly person?: number
  /** The namespaces in which it happened; by default that of the fact. */
  readonly namespaces?: readonly number[]
}

type Tell<Name extends FactName> = (fact: FactOf<Name>) => readonly EventOfFact[]

/** The kinds of comment events, by the type of the noteable. Comments on other noteables are no events. */
const comments = new Map<string, KindNumber>([
  ['Commit', 6],
  ['Issue', 13],
  ['MergeRequest', 25],
  ['Snippet', 42],
  ['WikiPage::Meta', 53],
])

/** An event about the target of the fact. */
const about =
  (kind: KindNumber) =>
  ({ target }: Pick<Fact, 'target'>): readonly EventOfFact[] =>
    target === null ? [] : [{ kind, target_id: target.id }]

/** The same, with details that cannot be looked up once the target is gone. */
const remembering =
  (kind: KindNumber) =>
  ({ target, details }: Pick<Fact, 'target'> & { readonly details: object }): readonly EventOfFact[] => [
    { kind, details, ...(target && { target_id: target.id }) },
  ]

/** The facts that become events, each with the function that makes its event. */
const tellers: { readonly [Name in FactName]?: Tell<Name> } = {
  'project created': () => [{ kind: 1 }],
  'member added': ({ details }) => [{ kind: 2, person: details.user_id }],
  'member removed': ({ namespace, details: { user_id, below, expired } }) => [
    {
      kind: expired === true ? 4 : 3,
      person: user_id,
      namespaces: namespace === null ? below : [namespace, ...below],
    },
  ],
  'references pushed': ({ details }) => [{ kind: 5, details }],
  'note created': ({ target, details }) => {
    const kind = comments.get(details.noteable_type)
    return kind === undefined || target === null ? [] : [{ kind, target_id: target.id }]
  },
  'issue created': about(10),
  'issue closed': about(11),
  'issue reopened': about(12),
  'merge request created': about(20),
  'merge request closed': about(21),
  'merge request reopened': about(22),
  'merge request merged': about(23),
  'merge request approved': about(24),
  'milestone created': remembering(30),
  'milestone closed': remembering(31),
  'milestone activated': remembering(32),
  'milestone deleted': remembering(33),
  'snippet created': about(40),
  'snippet changed': about(41),
  'snippet files changed': about(41),
  'wiki page created': remembering(50),
  'wiki page updated': remembering(51),
  'wiki page deleted': remembering(52),
}

const isTold = (name: string): name is FactName => Object.hasOwn(tellers, name)

/** The names of the facts that become events. */
export const eventFacts = (): readonly FactName[] => Object.keys(tellers).filter(isTold)

/** The events that a fact tells. */
export const readFact = <Name extends FactName>(fact: FactOf<Name> & Fact): readonly EventOfFact[] =>
  tellers[fact.name]?.(fact) ?? []
