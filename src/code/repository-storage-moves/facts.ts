import { type AuditedFacts, event, namedTarget } from '#platform/facts/audited.ts'
import { fact, type DetailsOf } from '#platform/facts/definitions.ts'
import type { MoveOwner } from './owners.ts'

interface Between {
  /** Of what moves. */
  readonly name: string
  readonly from: string
  readonly to: string
}

export const storageMoveFacts = {
  'repository storage move scheduled': fact<Between>(),
  'repository storage move finished': fact<Between>(),
  'repository storage move failed': fact<Between & { readonly because: string }>(),
  /** All of one kind on a storage; without a name the weights choose where each of them goes. */
  'repository storage moves scheduled': fact<{
    readonly kind: string
    readonly from: string
    readonly to: string | null
  }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof storageMoveFacts> {}
}

const change = 'repository storage'

export const auditedStorageMove: AuditedFacts = {
  'repository storage move scheduled': event(
    'repository_storage_move_scheduled',
    ({ target, details: { name, from, to } }) => ({
      ...namedTarget(target, name),
      details: { change, from, to },
    }),
  ),
  'repository storage move finished': event(
    'repository_storage_move_finished',
    ({ target, details: { name, from, to } }) => ({
      ...namedTarget(target, name),
      details: { change, from, to },
    }),
  ),
  'repository storage move failed': event(
    'repository_storage_move_failed',
    ({ target, details: { name, from, to, because } }) => ({
      ...namedTarget(target, name),
      details: { change, from, to, custom_message: `The repository did not move: ${because}` },
    }),
  ),
  'repository storage moves scheduled': event(
    'repository_storage_moves_scheduled',
    ({ details: { kind, from, to } }) => ({
      details: {
        custom_message: `Scheduled moves of all ${kind} repositories from ${from} to ${to ?? 'storages by weight'}`,
      },
    }),
  ),
}

const types = { project: 'Project', group: 'Group', snippet: 'Snippet' } as const

/** The namespace and target of a domain event about a move. */
export const aboutMove = ({ kind, id, namespace_id }: MoveOwner) => ({
  namespace: namespace_id,
  target: { type: types[kind], id },
})
