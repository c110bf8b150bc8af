import type { FactName, FactOf } from '#platform/facts/fact.ts'
import { readFacts } from '#planning/noteables/fact-reader.ts'
import type { SystemNote } from '#planning/noteables/kind.ts'
import { estimated, spent } from '#planning/time/sentences.ts'

type People = readonly { readonly username: string }[]

const named = (people: People) => people.map(({ username }) => `@${username}`).join(', ')
const assigned = (added: People) => (added.length > 0 ? [`assigned to ${named(added)}`] : [])
const unassigned = (removed: People) => (removed.length > 0 ? [`unassigned ${named(removed)}`] : [])

/** A day as people read it: `January 31, 2026`. */
export const longDay = (day: string) =>
  new Date(day).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })

/** The domain events that produce a system note. */
const systemNoteFacts = [
  'issue retitled',
  'issue description changed',
  'issue type changed',
  'issue assignees changed',
  'issue due date changed',
  'issue confidentiality changed',
  'issue lock changed',
  'issue closed',
  'issue mentioned',
  'issue linked',
  'issue unlinked',
  'issue time estimated',
  'issue time spent',
  'issue moved',
  'issue moved here',
  'issue cloned',
  'issue cloned here',
  'issue marked as duplicate',
  'issue has duplicate',
  'issue added to epic',
  'issue removed from epic',
] as const satisfies FactName[]

/** The sentence of a domain event's system note. Undefined for one that has its place among the resource events alone. */
function sentenceOf(fact: FactOf<(typeof systemNoteFacts)[number]>): string | undefined {
  switch (fact.name) {
    case 'issue retitled':
      return `changed title from **${fact.details.from}** to **${fact.details.to}**`
    case 'issue description changed':
      return 'changed the description'
    case 'issue type changed':
      return `changed type from ${fact.details.from} to ${fact.details.to}`
    case 'issue assignees changed':
      return [...assigned(fact.details.added), ...unassigned(fact.details.removed)].join(' and ')
    case 'issue due date changed': {
      const { to } = fact.details
      return to === null ? 'removed due date' : `changed due date to ${longDay(to)}`
    }
    case 'issue confidentiality changed':
      return fact.details.confidential ? 'made the issue confidential' : 'made the issue visible to everyone'
    case 'issue lock changed':
      return `${fact.details.locked ? 'locked' : 'unlocked'} the discussion in this issue`
    case 'issue closed': {
      const { by } = fact.details
      return by && `closed via ${by.noun ?? 'commit'} ${by.reference}`
    }
    case 'issue mentioned':
      return `mentioned in ${fact.details.noun ?? 'issue'} ${fact.details.reference}`
    case 'issue linked':
      return `marked this issue as ${fact.details.relation} ${fact.details.reference}`
    case 'issue unlinked':
      return `removed the relation with ${fact.details.reference}`
    case 'issue time estimated':
      return estimated(fact.details.seconds)
    case 'issue time spent':
      return spent(fact.details.seconds)
    case 'issue moved':
      return `moved to ${fact.details.reference}`
    case 'issue moved here':
      return `moved from ${fact.details.reference}`
    case 'issue cloned':
      return `cloned to ${fact.details.reference}`
    case 'issue cloned here':
      return `cloned from ${fact.details.reference}`
    case 'issue marked as duplicate':
      return `marked this issue as a duplicate of ${fact.details.reference}`
    case 'issue has duplicate':
      return `marked ${fact.details.reference} as a duplicate of this issue`
    case 'issue added to epic':
      return `added to epic ${fact.details.reference}`
    case 'issue removed from epic':
      return `removed from epic ${fact.details.reference}`
  }
}

/** The system notes of issues. */
export const issueSystemNotes = readFacts(systemNoteFacts, (fact): SystemNote | undefined => {
  const body = sentenceOf(fact)
  const about = aboutOf(fact)
  if (body === undefined) return undefined
  return { body, ...(about !== undefined && { about }), mention: fact.name === 'issue mentioned' }
})

/** The other noteable that a system note names. */
function aboutOf(fact: FactOf<(typeof systemNoteFacts)[number]>): number | undefined {
  if (fact.name === 'issue closed') return fact.details.by?.noteable_id
  return 'issue_id' in fact.details ? fact.details.issue_id : undefined
}
