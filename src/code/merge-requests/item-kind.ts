import { findBareMergeRequest } from './bare-merge-request.ts'
import type { ItemKind } from '#planning/noteables/items/kind.ts'
import { MergeRequestSingle } from './entity.ts'
import { aboutMergeRequest } from './facts-about.ts'
import { mergeRequestIdentity } from './identity.ts'
import { peopleOfMergeRequest } from './people.ts'
import { findMergeRequest, lockMergeRequest, type SingleMergeRequestRow } from './queries.ts'
import { presentOne } from './present-one.ts'

/** Merge requests as items that people take part in. */
export const mergeRequestItems: ItemKind<SingleMergeRequestRow> = {
  ...mergeRequestIdentity,
  abilities: {
    read: 'read_merge_request',
    subscribe: 'subscribe_merge_request',
    trackTime: 'admin_merge_request',
  },
  findBare: findBareMergeRequest,
  find: findMergeRequest,
  lock: lockMergeRequest,
  people: peopleOfMergeRequest,
  participants: 'The author, the assignees, the reviewers',
  facts: {
    estimated: (row, seconds) => ({
      ...aboutMergeRequest(row),
      name: 'merge request time estimated',
      details: { seconds },
    }),
    spent: (row, seconds) => ({
      ...aboutMergeRequest(row),
      name: 'merge request time spent',
      details: { seconds },
    }),
  },
  entity: MergeRequestSingle,
  present: presentOne,
}
