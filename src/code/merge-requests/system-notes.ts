import type { FactName, FactOf } from '#platform/facts/fact.ts'
import { readFacts } from '#planning/noteables/fact-reader.ts'
import type { SystemNote } from '#planning/noteables/kind.ts'
import { estimated, spent } from '#planning/time/sentences.ts'
import { isDraft, withoutDraft } from './draft.ts'
import { sentenceOfPush } from './pushes/pushed-commits.ts'

type People = readonly { readonly username: string }[]

const named = (people: People) => people.map(({ username }) => `@${username}`).join(', ')
const told = (added: People, removed: People, verbs: readonly [string, string]): string =>
  [
    ...(added.length > 0 ? [`${verbs[0]} ${named(added)}`] : []),
    ...(removed.length > 0 ? [`${verbs[1]} ${named(removed)}`] : []),
  ].join(' and ')

const systemNoteFacts = [
  'merge request retitled',
  'merge request description changed',
  'merge request target branch changed',
  'merge request assignees changed',
  'merge request reviewers changed',
  'merge request lock changed',
  'merge request merged',
  'merge request commits pushed',
  'merge request source branch changed',
  'merge request auto-merge changed',
  'merge request threads resolved',
  'merge request suggestions applied',
  'merge request approved',
  'merge request unapproved',
  'merge request approvals reset',
  'merge request review submitted',
  'merge request time estimated',
  'merge request time spent',
  'merge request mentioned',
] as const satisfies FactName[]

/** The sentence of a domain event's system note; undefined for one that has none. */
function sentenceOf(fact: FactOf<(typeof systemNoteFacts)[number]>): string | undefined {
  switch (fact.name) {
    case 'merge request retitled':
      return retitled(fact.details)
    case 'merge request description changed':
      return 'changed the description'
    case 'merge request target branch changed':
      return `changed target branch from \`${fact.details.from}\` to \`${fact.details.to}\``
    case 'merge request assignees changed':
      return told(fact.details.added, fact.details.removed, ['assigned to', 'unassigned'])
    case 'merge request reviewers changed':
      return told(fact.details.added, fact.details.removed, [
        'requested review from',
        'removed review request for',
      ])
    case 'merge request lock changed':
      return `${fact.details.locked ? 'locked' : 'unlocked'} the discussion in this merge request`
    case 'merge request merged':
      return 'merged'
    case 'merge request commits pushed':
      return sentenceOfPush(fact.details)
    case 'merge request source branch changed':
      return `${fact.details.presence} source branch \`${fact.details.branch}\``
    case 'merge request auto-merge changed':
      return autoMerge(fact.details)
    case 'merge request threads resolved':
      return 'resolved all threads'
    case 'merge request suggestions applied':
      return `applied ${fact.details.suggestions} suggestion(s) to ${fact.details.files} file(s)`
    case 'merge request approved':
      return 'approved this merge request'
    case 'merge request unapproved':
      return 'unapproved this merge request'
    case 'merge request approvals reset':
      return `reset approvals from ${fact.details.usernames.map((name) => `@${name}`).join(', ')}`
    case 'merge request review submitted':
      return fact.details.state === 'reviewed' ? 'left review comments' : 'requested changes'
    case 'merge request time estimated':
      return estimated(fact.details.seconds)
    case 'merge request time spent':
      return spent(fact.details.seconds)
    case 'merge request mentioned':
      return `mentioned in ${fact.details.noun} ${fact.details.reference}`
  }
}

function autoMerge({ state, sha }: { readonly state: string; readonly sha: string | null }): string {
  if (state === 'enabled') return `enabled an automatic merge when all merge checks for ${sha ?? ''} pass`
  if (state === 'canceled') return 'canceled the automatic merge'
  return 'aborted the automatic merge because source branch was updated'
}

/** A title that only gains or loses `Draft:` is a change of that alone. */
function retitled({ from, to }: { readonly from: string; readonly to: string }): string {
  if (isDraft(from) !== isDraft(to) && withoutDraft(from) === withoutDraft(to))
    return `marked this merge request as **${isDraft(to) ? 'draft' : 'ready'}**`
  return `changed title from **${from}** to **${to}**`
}

/** The system notes of merge requests. */
export const mergeRequestSystemNotes = readFacts(systemNoteFacts, (fact): SystemNote | undefined => {
  const body = sentenceOf(fact)
  if (body === undefined) return undefined
  return {
    body,
    ...('about_id' in fact.details ? { about: fact.details.about_id } : {}),
    mention: fact.name === 'merge request mentioned',
  }
})
