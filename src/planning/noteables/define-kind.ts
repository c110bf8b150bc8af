import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { ContainerSubject } from '#platform/access/route-access.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Extension } from '#platform/extension-point.ts'
import { timeRoutes } from '#planning/time/time-tracking.ts'
import { markRoute } from '#planning/todos/mark-route.ts'
import { type TodoTarget, todoTargets } from '#planning/todos/targets.ts'
import type { PathKey } from './identity.ts'
import type { ItemKind, ItemRow } from './items/kind.ts'
import { participantRoutes } from './items/list-participants.ts'
import { subscriptionRoutes } from './items/subscribing.ts'
import type { NoteableKind } from './kind.ts'
import { kindsOfNoteables } from './kinds.ts'

/** To-dos about noteables of a kind. */
interface TodosAbout extends Pick<TodoTarget, 'entity' | 'kept' | 'read'> {
  /** How people put one on their lists themselves; absent where no path does. */
  readonly mark?: {
    /** Who may. */
    readonly subject: ContainerSubject
    /** How the path names one, when otherwise than those of notes. */
    readonly key?: PathKey
    /** Finds the noteable that the path names. @throws 404 */
    readonly find: (tx: Tx, req: FastifyRequest, iid: number) => Promise<{ readonly id: number }>
  }
}

/** All that a feature says of a kind. What is absent, noteables of the kind do not have. */
export interface KindDescription<Row extends ItemRow> {
  /** Notes, discussions, reactions, mentions and resource events. */
  readonly noteable: NoteableKind
  /** Participants, subscriptions and time tracking. */
  readonly items?: ItemKind<Row>
  readonly todos?: TodosAbout
}

/** What a description adds to the program, for the feature's `index.ts`. */
export interface DefinedKind {
  readonly routes: readonly FastifyPluginAsyncTypebox[]
  readonly extensions: readonly Extension[]
}

/** Makes all registrations of a kind from one description. */
export function defineKind<Row extends ItemRow>({
  noteable,
  items,
  todos,
}: KindDescription<Row>): DefinedKind {
  const ofItems = items && [timeRoutes(items), participantRoutes(items), subscriptionRoutes(items)]
  const marking = todos?.mark && markRoute({ ...noteable, ...todos.mark })
  return {
    routes: [...(ofItems ?? []), ...(marking ? [marking] : [])],
    extensions: [
      kindsOfNoteables.with(noteable),
      ...(todos ? [todoTargets.with({ ...todos, kind: noteable.name, type: noteable.type })] : []),
    ],
  }
}
