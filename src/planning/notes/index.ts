import type { Feature } from '#platform/feature.ts'
import { userRemovalSteps } from '#identity/users/extension-points.ts'
import { noteAbilities } from './abilities.ts'
import { removeNotes } from './delete-notes-of.ts'
import { noteFacts } from './facts.ts'
import { noteRoutes } from './routes.ts'
import { noteSettings } from './settings.ts'
import { systemNotes } from './system-notes.ts'

/** Comments, and the system's records of changes. */
export const notes: Feature = {
  areas: [
    { name: 'Notes', about: 'Comments of people, and system notes about changes.', segments: ['notes'] },
  ],
  routes: [noteRoutes],
  abilities: noteAbilities,
  facts: noteFacts,
  settings: noteSettings,
  consumers: [systemNotes],
  extensions: [userRemovalSteps.with(removeNotes)],
}
