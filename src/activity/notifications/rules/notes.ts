import { kindOfType } from '#planning/noteables/kinds.ts'
import { readFacts } from '#planning/noteables/fact-reader.ts'
import type { Notice } from '../notice.ts'
import { to } from './shared.ts'

/** What people write, whom they mention, and how they react. */
export const noteRules = readFacts(
  ['note created', 'people mentioned', 'award emoji given'],
  (fact): Notice | undefined => {
    switch (fact.name) {
      case 'note created': {
        const { noteable: id } = to(fact).about
        return {
          about: { noteable: fact.details.noteable_id },
          event: 'new_note',
          watched: true,
          participants: true,
          text: { note: id },
          mails: true,
          key: `note-${id}`,
          says: 'commented',
          todos: { resolves: true, mentioned: true },
        }
      }
      case 'people mentioned': {
        const { about } = to(fact)
        const { note_id, user_ids, changed } = fact.details
        const key = note_id === null ? `noteable-${about.noteable}` : `note-${note_id}`
        return {
          about,
          event: null,
          watched: false,
          participants: false,
          text: note_id === null ? 'own' : { note: note_id },
          mentioned: user_ids,
          mails: true,
          ...(changed ? {} : { key }),
          says: 'mentioned you',
          todos: { mentioned: true },
        }
      }
      case 'award emoji given': {
        const { target } = fact
        if (target === null || kindOfType(target.type) === undefined) return undefined
        return { ...to(fact), event: null, mails: false, says: 'reacted', todos: { resolves: true } }
      }
    }
  },
)
