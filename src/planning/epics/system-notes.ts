import type { FactName, FactOf } from '#platform/facts/fact.ts'
import { longDay } from '#planning/issues/system-notes.ts'
import { readFacts } from '#planning/noteables/fact-reader.ts'
import type { SystemNote } from '#planning/noteables/kind.ts'

/** The domain events that produce a system note. */
const systemNoteFacts = [
  'epic retitled',
  'epic description changed',
  'epic start date changed',
  'epic due date changed',
  'epic confidentiality changed',
  'epic mentioned',
  'epic parent added',
  'epic parent removed',
  'epic child added',
  'epic child removed',
  'epic issue added',
  'epic issue removed',
  'epic linked',
  'epic unlinked',
] as const satisfies FactName[]

/** The sentence of a domain event's system note. */
function sentenceOf(fact: FactOf<(typeof systemNoteFacts)[number]>): string {
  switch (fact.name) {
    case 'epic retitled':
      return `changed title from **${fact.details.from}** to **${fact.details.to}**`
    case 'epic description changed':
      return 'changed the description'
    case 'epic start date changed':
      return dated('start', fact.details.to)
    case 'epic due date changed':
      return dated('due', fact.details.to)
    case 'epic confidentiality changed':
      return fact.details.confidential ? 'made the epic confidential' : 'made the epic visible to everyone'
    case 'epic mentioned':
      return `mentioned in ${fact.details.noun} ${fact.details.reference}`
    case 'epic parent added':
      return `added epic ${fact.details.reference} as parent epic`
    case 'epic parent removed':
      return `removed parent epic ${fact.details.reference}`
    case 'epic child added':
      return `added epic ${fact.details.reference} as child epic`
    case 'epic child removed':
      return `removed child epic ${fact.details.reference}`
    case 'epic issue added':
      return `added issue ${fact.details.reference}`
    case 'epic issue removed':
      return `removed issue ${fact.details.reference}`
    case 'epic linked':
      return `marked this epic as ${fact.details.relation} ${fact.details.reference}`
    case 'epic unlinked':
      return `removed the relation with ${fact.details.reference}`
  }
}

const dated = (which: string, to: string | null) =>
  to === null ? `removed the ${which} date` : `changed ${which} date to ${longDay(to)}`

/** The system notes of epics. */
export const epicSystemNotes = readFacts(systemNoteFacts, (fact): SystemNote => ({
  body: sentenceOf(fact),
  ...('noteable_id' in fact.details ? { about: fact.details.noteable_id } : {}),
  mention: fact.name === 'epic mentioned',
}))
