import { sql } from 'kysely'
import type { Consumer, FactName, FactOf } from '#platform/facts/fact.ts'
import { humanTime } from '#planning/issues/time/human-time.ts'

type People = readonly { readonly username: string }[]

const named = (people: People) => people.map(({ username }) => `@${username}`).join(', ')
const assigned = (added: People) => (added.length > 0 ? [`assigned to ${named(added)}`] : [])
const unassigned = (removed: People) => (removed.length > 0 ? [`unassigned ${named(removed)}`] : [])

const longDay = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })

/** The facts that are told as notes. */
const told = [
  'issue retitled',
  'issue description changed',
  'issue type changed',
  'issue assignees changed',
  'issue due date changed',
  'issue confidentiality changed',
  'issue lock changed',
  'issue mentioned',
  'issue linked',
  'issue unlinked',
  'issue time estimated',
  'issue time spent',
  'issue moved',
  'issue moved here',
  'issue cloned',
  'issue cloned here',
] as const satisfies FactName[]

type Told = (typeof told)[number]

/** What a fact says in a note. */
function sentenceOf(fact: FactOf<Told>): string {
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
      return to === null ? 'removed due date' : `changed due date to ${longDay.format(new Date(to))}`
    }
    case 'issue confidentiality changed':
      return fact.details.confidential ? 'made the issue confidential' : 'made the issue visible to everyone'
    case 'issue lock changed':
      return `${fact.details.locked ? 'locked' : 'unlocked'} the discussion in this issue`
    case 'issue mentioned':
      return `mentioned in issue ${fact.details.reference}`
    case 'issue linked':
      return `marked this issue as ${fact.details.relation} ${fact.details.reference}`
    case 'issue unlinked':
      return `removed the relation with ${fact.details.reference}`
    case 'issue time estimated': {
      const { seconds } = fact.details
      return seconds === 0 ? 'removed time estimate' : `changed time estimate to ${humanTime(seconds)}`
    }
    case 'issue time spent': {
      const { seconds } = fact.details
      if (seconds === null) return 'removed time spent'
      return `${seconds < 0 ? 'subtracted' : 'added'} ${humanTime(Math.abs(seconds))} of time spent`
    }
    case 'issue moved':
      return `moved to ${fact.details.reference}`
    case 'issue moved here':
      return `moved from ${fact.details.reference}`
    case 'issue cloned':
      return `cloned to ${fact.details.reference}`
    case 'issue cloned here':
      return `cloned from ${fact.details.reference}`
  }
}

/**
 * Writes the note that tells people of a change, in the statement that records it. Changes of state, labels,
 * milestone and weight are no notes: they have lists of their own ("Notes" in the specification).
 */
export const systemNotes: Consumer<Told> = {
  name: 'system_notes',
  facts: told,
  rows: (fact, { author, now, random }) =>
    author === null
      ? []
      : [
          {
            noteable_id: fact.target?.id,
            author_id: author.id,
            body: sentenceOf(fact),
            discussion: random.bytes(20).toString('hex'),
            // Who may not see the other issue that a note names does not see the note.
            about_noteable_id: 'issue_id' in fact.details ? fact.details.issue_id : null,
            mention: fact.name === 'issue mentioned',
            at: now,
          },
        ],
  statement: (rows) => sql`
    insert into notes (noteable_id, author_id, body, discussion_id, starts_discussion, system, about_noteable_id, mention,
      created_at, updated_at)
    select n.noteable_id, n.author_id, n.body, decode(n.discussion, 'hex'), true, true, n.about_noteable_id, n.mention, n.at, n.at
    from jsonb_to_recordset(${rows}) as n (noteable_id bigint, author_id bigint, body text, discussion text,
      about_noteable_id bigint, mention boolean, at timestamptz)
    on conflict do nothing`,
}
